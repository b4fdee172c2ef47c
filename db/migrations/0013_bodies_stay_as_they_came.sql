-- Bodies that fit into a page are no longer compressed on their way in. New partitions are made so (db/partitions.ts).
DO $$
DECLARE part regclass;
BEGIN
  FOR part IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'inbox_bodies'::regclass LOOP
    EXECUTE format('ALTER TABLE %s SET (toast_tuple_target = 8160)', part);
  END LOOP;
END $$;

CREATE TABLE "inbox_claims" (
	"worker_id" uuid NOT NULL,
	"slot" smallint NOT NULL,
	"event_ids" uuid[] NOT NULL,
	"alone" boolean NOT NULL,
	"locked" boolean NOT NULL,
	"claimed_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "inbox_claims_worker_id_slot_pk" PRIMARY KEY("worker_id","slot")
);
--> statement-breakpoint
DROP INDEX "inbox_events_due";--> statement-breakpoint
ALTER TABLE "inbox_events" ADD COLUMN "round_paused_seconds" double precision;--> statement-breakpoint
ALTER TABLE "inbox_events" ADD COLUMN "lane" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "inbox_events" ADD COLUMN "crashes" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "paused_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "paused_seconds" double precision DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "inbox_events_queue" ON "inbox_events" USING btree ("source_id","lane","next_attempt_at") WHERE status = 'pending';--> statement-breakpoint
UPDATE "sources" SET "paused_at" = coalesce(
	(SELECT max(at) FROM "audit_entries" WHERE target = 'source:' || "sources"."id" AND action = 'source.pause'), now())
WHERE status = 'paused';
--> statement-breakpoint
CREATE FUNCTION keep_paused_time() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.status = 'paused' THEN
		NEW.paused_at := coalesce(NEW.paused_at, now());
	ELSIF NEW.paused_at IS NOT NULL THEN
		NEW.paused_seconds := NEW.paused_seconds + greatest(0, extract(epoch FROM now() - NEW.paused_at));
		NEW.paused_at := NULL;
	END IF;
	RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER sources_paused_time BEFORE INSERT OR UPDATE OF status ON "sources"
	FOR EACH ROW EXECUTE FUNCTION keep_paused_time();

/**
 * Something that a batch was about to create was there already, made by somebody outside its locks. What the batch
 * decided rests on facts that are no longer so: its transaction is rolled back and made again as a whole, like one that
 * PostgreSQL ended for a serialisation failure (SQLSTATE 40001).
 */
export class MetTwin extends Error {
  readonly code = "40001";
}

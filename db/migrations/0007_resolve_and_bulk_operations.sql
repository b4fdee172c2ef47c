ALTER TABLE "operations" DROP CONSTRAINT "operations_status";--> statement-breakpoint
ALTER TABLE "operations" DROP CONSTRAINT "operations_finished";--> statement-breakpoint
DROP INDEX "operation_items_operation";--> statement-breakpoint
ALTER TABLE "operation_items" ALTER COLUMN "inbox_event_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "inbox_conflicts" ADD COLUMN "resolution" text;--> statement-breakpoint
ALTER TABLE "inbox_conflicts" ADD COLUMN "reason" text;--> statement-breakpoint
ALTER TABLE "operation_items" ADD COLUMN "ordinal" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "operation_items" ADD COLUMN "outbox_message_id" uuid;--> statement-breakpoint
ALTER TABLE "operation_items" ADD COLUMN "was" text;--> statement-breakpoint
ALTER TABLE "operation_items" ADD COLUMN "was_attempts" integer;--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "filter" jsonb;--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "item_count" integer;--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "token_digest" "bytea";--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "token_expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "starts_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "started_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "totals" jsonb;--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "cancelled_by" text;--> statement-breakpoint
CREATE INDEX "inbox_conflicts_open" ON "inbox_conflicts" USING btree ("inbox_event_id") WHERE resolved_at is null;--> statement-breakpoint
CREATE INDEX "operation_items_open" ON "operation_items" USING btree ("operation_id","ordinal") WHERE verdict is null;--> statement-breakpoint
CREATE INDEX "operation_items_verdict" ON "operation_items" USING btree ("operation_id","verdict","ordinal");--> statement-breakpoint
CREATE INDEX "operations_open" ON "operations" USING btree ("starts_at") WHERE status in ('frozen', 'running');--> statement-breakpoint
CREATE INDEX "operations_token" ON "operations" USING btree ("token_digest");--> statement-breakpoint
ALTER TABLE "operation_items" ADD CONSTRAINT "operation_items_ordinal" UNIQUE("operation_id","ordinal");--> statement-breakpoint
ALTER TABLE "inbox_conflicts" ADD CONSTRAINT "inbox_conflicts_resolution" CHECK ("inbox_conflicts"."resolution" in ('accepted', 'dismissed', 'replaced'));--> statement-breakpoint
ALTER TABLE "operation_items" ADD CONSTRAINT "operation_items_target" CHECK (num_nonnulls("operation_items"."inbox_event_id", "operation_items"."outbox_message_id") = 1);--> statement-breakpoint
ALTER TABLE "operation_items" ADD CONSTRAINT "operation_items_finished" CHECK (("operation_items"."verdict" is null) = ("operation_items"."finished_at" is null));--> statement-breakpoint
ALTER TABLE "operations" ADD CONSTRAINT "operations_status" CHECK ("operations"."status" in ('frozen', 'running', 'done', 'cancelled'));--> statement-breakpoint
ALTER TABLE "operations" ADD CONSTRAINT "operations_finished" CHECK (("operations"."status" in ('frozen', 'running')) = ("operations"."finished_at" is null));
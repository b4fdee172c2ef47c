ALTER TABLE "reconciliation_gaps" ADD COLUMN "delivery_id" text;--> statement-breakpoint
ALTER TABLE "reconciliation_runs" ADD COLUMN "redeliver" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "credit_entries_source" ON "credit_entries" USING btree ("source_id","created_at","id");
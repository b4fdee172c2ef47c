CREATE TABLE "reconciliation_gaps" (
	"id" uuid PRIMARY KEY NOT NULL,
	"source_id" text NOT NULL,
	"account" text NOT NULL,
	"subject" text NOT NULL,
	"class" text NOT NULL,
	"status" text DEFAULT 'open' NOT NULL,
	"why" text NOT NULL,
	"happened_at" timestamp with time zone NOT NULL,
	"repairable" boolean NOT NULL,
	"receipt_body" "bytea",
	"receipt_headers" jsonb,
	"first_seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_run_id" uuid NOT NULL,
	"repaired_at" timestamp with time zone,
	"repaired_by" uuid,
	"inbox_event_id" uuid,
	"closed_at" timestamp with time zone,
	"closed_by" text,
	"closed_why" text,
	CONSTRAINT "reconciliation_gaps_key" UNIQUE("source_id","account","subject","class"),
	CONSTRAINT "reconciliation_gaps_class" CHECK ("reconciliation_gaps"."class" in ('no_receipt', 'receipt_without_effect', 'effect_without_paid_object', 'amount_or_workspace_differs', 'intent_unsent')),
	CONSTRAINT "reconciliation_gaps_status" CHECK ("reconciliation_gaps"."status" in ('open', 'closed', 'dismissed')),
	CONSTRAINT "reconciliation_gaps_closed" CHECK (("reconciliation_gaps"."status" = 'open') = ("reconciliation_gaps"."closed_at" is null) and ("reconciliation_gaps"."closed_at" is null) = ("reconciliation_gaps"."closed_why" is null))
);
--> statement-breakpoint
CREATE TABLE "reconciliation_runs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"source_id" text NOT NULL,
	"trigger" text NOT NULL,
	"actor" text NOT NULL,
	"reason" text,
	"window_from" timestamp with time zone NOT NULL,
	"window_to" timestamp with time zone NOT NULL,
	"repair" boolean NOT NULL,
	"only_gaps" uuid[],
	"status" text DEFAULT 'pending' NOT NULL,
	"progress" jsonb,
	"pages" integer DEFAULT 0 NOT NULL,
	"objects" integer DEFAULT 0 NOT NULL,
	"entries" integer DEFAULT 0 NOT NULL,
	"gaps_found" integer DEFAULT 0 NOT NULL,
	"gaps_repaired" integer DEFAULT 0 NOT NULL,
	"gaps_closed" integer DEFAULT 0 NOT NULL,
	"warnings" text[] DEFAULT '{}' NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone,
	"last_error" text,
	"lease_token" uuid,
	"lease_until" timestamp with time zone,
	"cancel_requested_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	CONSTRAINT "reconciliation_runs_trigger" CHECK ("reconciliation_runs"."trigger" in ('request', 'sweep', 'restored')),
	CONSTRAINT "reconciliation_runs_status" CHECK ("reconciliation_runs"."status" in ('pending', 'running', 'done', 'failed', 'cancelled')),
	CONSTRAINT "reconciliation_runs_window" CHECK ("reconciliation_runs"."window_from" < "reconciliation_runs"."window_to"),
	CONSTRAINT "reconciliation_runs_pending" CHECK (("reconciliation_runs"."status" = 'pending') = ("reconciliation_runs"."next_attempt_at" is not null)),
	CONSTRAINT "reconciliation_runs_leased" CHECK (("reconciliation_runs"."status" = 'running') = ("reconciliation_runs"."lease_token" is not null) and ("reconciliation_runs"."lease_token" is null) = ("reconciliation_runs"."lease_until" is null)),
	CONSTRAINT "reconciliation_runs_finished" CHECK (("reconciliation_runs"."status" in ('done', 'failed', 'cancelled')) = ("reconciliation_runs"."finished_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "reconciliation_seen" (
	"run_id" uuid NOT NULL,
	"account" text NOT NULL,
	"subject" text NOT NULL,
	CONSTRAINT "reconciliation_seen_run_id_account_subject_pk" PRIMARY KEY("run_id","account","subject")
);
--> statement-breakpoint
ALTER TABLE "inbox_events" ADD COLUMN "origin" text DEFAULT 'webhook' NOT NULL;--> statement-breakpoint
ALTER TABLE "reconciliation_gaps" ADD CONSTRAINT "reconciliation_gaps_source_id_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."sources"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reconciliation_gaps" ADD CONSTRAINT "reconciliation_gaps_last_run_id_reconciliation_runs_id_fk" FOREIGN KEY ("last_run_id") REFERENCES "public"."reconciliation_runs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reconciliation_gaps" ADD CONSTRAINT "reconciliation_gaps_repaired_by_reconciliation_runs_id_fk" FOREIGN KEY ("repaired_by") REFERENCES "public"."reconciliation_runs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reconciliation_runs" ADD CONSTRAINT "reconciliation_runs_source_id_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."sources"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reconciliation_seen" ADD CONSTRAINT "reconciliation_seen_run_id_reconciliation_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."reconciliation_runs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "reconciliation_gaps_open" ON "reconciliation_gaps" USING btree ("source_id","happened_at") WHERE status = 'open';--> statement-breakpoint
CREATE INDEX "reconciliation_gaps_seen" ON "reconciliation_gaps" USING btree ("first_seen_at","id");--> statement-breakpoint
CREATE INDEX "reconciliation_gaps_run" ON "reconciliation_gaps" USING btree ("last_run_id");--> statement-breakpoint
CREATE INDEX "reconciliation_gaps_subject" ON "reconciliation_gaps" USING btree ("subject");--> statement-breakpoint
CREATE UNIQUE INDEX "reconciliation_runs_running" ON "reconciliation_runs" USING btree ("source_id") WHERE status = 'running';--> statement-breakpoint
CREATE INDEX "reconciliation_runs_open" ON "reconciliation_runs" USING btree ("created_at") WHERE status in ('pending', 'running');--> statement-breakpoint
CREATE INDEX "reconciliation_runs_source" ON "reconciliation_runs" USING btree ("source_id","created_at","id");--> statement-breakpoint
CREATE INDEX "reconciliation_runs_created" ON "reconciliation_runs" USING btree ("created_at","id");
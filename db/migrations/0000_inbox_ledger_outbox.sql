CREATE TABLE "inbox_attempts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "inbox_attempts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"inbox_event_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone NOT NULL,
	"result" text NOT NULL,
	"why" text,
	"worker_id" uuid,
	"actor" text,
	"reason" text,
	"operation_id" uuid,
	CONSTRAINT "inbox_attempts_kind" CHECK ("inbox_attempts"."kind" in ('process', 'replay')),
	CONSTRAINT "inbox_attempts_actor" CHECK (("inbox_attempts"."kind" = 'replay') = ("inbox_attempts"."actor" is not null))
);
--> statement-breakpoint
CREATE TABLE "inbox_bodies" (
	"expires_on" date NOT NULL,
	"inbox_event_id" uuid NOT NULL,
	"body" "bytea" NOT NULL,
	"headers" jsonb NOT NULL,
	CONSTRAINT "inbox_bodies_expires_on_inbox_event_id_pk" PRIMARY KEY("expires_on","inbox_event_id")
) PARTITION BY RANGE ("expires_on");
--> statement-breakpoint
-- Receives rows whose day has no partition yet, so that a receipt never fails for want of one.
CREATE TABLE "inbox_bodies_default" PARTITION OF "inbox_bodies" DEFAULT;
--> statement-breakpoint
CREATE TABLE "inbox_conflicts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"inbox_event_id" uuid NOT NULL,
	"content_digest" "bytea" NOT NULL,
	"body" "bytea" NOT NULL,
	"headers" jsonb NOT NULL,
	"why" text NOT NULL,
	"received_at" timestamp with time zone DEFAULT now() NOT NULL,
	"seen" integer DEFAULT 1 NOT NULL,
	"resolved_at" timestamp with time zone,
	"resolved_by" text,
	CONSTRAINT "inbox_conflicts_content" UNIQUE("inbox_event_id","content_digest")
);
--> statement-breakpoint
CREATE TABLE "inbox_deliveries" (
	"inbox_event_id" uuid NOT NULL,
	"ordinal" bigint NOT NULL,
	"received_at" timestamp with time zone DEFAULT now() NOT NULL,
	"origin" text NOT NULL,
	"body_digest" "bytea" NOT NULL,
	"body" "bytea",
	CONSTRAINT "inbox_deliveries_inbox_event_id_ordinal_pk" PRIMARY KEY("inbox_event_id","ordinal")
);
--> statement-breakpoint
CREATE TABLE "inbox_delivery_counts" (
	"inbox_event_id" uuid PRIMARY KEY NOT NULL,
	"count" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "inbox_effects" (
	"inbox_event_id" uuid NOT NULL,
	"effect" text NOT NULL,
	"outcome" text NOT NULL,
	"why" text NOT NULL,
	"by_event_id" uuid,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "inbox_effects_inbox_event_id_effect_pk" PRIMARY KEY("inbox_event_id","effect"),
	CONSTRAINT "inbox_effects_outcome" CHECK ("inbox_effects"."outcome" in ('applied', 'already_applied', 'not_eligible', 'linked', 'stale'))
);
--> statement-breakpoint
CREATE TABLE "inbox_events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"source_id" text NOT NULL,
	"account" text NOT NULL,
	"event_id" text NOT NULL,
	"type" text NOT NULL,
	"mode" text NOT NULL,
	"subject" text,
	"api_version" text,
	"status" text NOT NULL,
	"outcome" text,
	"failure_class" text,
	"waits_kind" text,
	"waits_key" text,
	"why" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"round_attempts" integer DEFAULT 0 NOT NULL,
	"round_started_at" timestamp with time zone,
	"next_attempt_at" timestamp with time zone,
	"last_error" text,
	"content_digest" "bytea" NOT NULL,
	"body_digest" "bytea" NOT NULL,
	"body_bytes" integer NOT NULL,
	"body_expires_on" date NOT NULL,
	"secret_fingerprint" text,
	"traceparent" text,
	"received_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone,
	CONSTRAINT "inbox_events_key" UNIQUE("source_id","account","event_id"),
	CONSTRAINT "inbox_events_mode" CHECK ("inbox_events"."mode" in ('live', 'test')),
	CONSTRAINT "inbox_events_status" CHECK ("inbox_events"."status" in ('pending', 'waiting', 'done', 'ignored', 'failed', 'quarantined', 'dismissed')),
	CONSTRAINT "inbox_events_outcome" CHECK ("inbox_events"."outcome" in ('applied', 'already_applied', 'not_eligible', 'linked', 'stale')),
	CONSTRAINT "inbox_events_done" CHECK (("inbox_events"."status" = 'done') = ("inbox_events"."outcome" is not null)),
	CONSTRAINT "inbox_events_failed" CHECK (("inbox_events"."status" = 'failed') = ("inbox_events"."failure_class" is not null)),
	CONSTRAINT "inbox_events_failure_class" CHECK ("inbox_events"."failure_class" in ('invalid', 'exhausted', 'mismatch', 'poison')),
	CONSTRAINT "inbox_events_waits_kind" CHECK ("inbox_events"."waits_kind" in ('link', 'account', 'contract', 'event')),
	CONSTRAINT "inbox_events_waiting" CHECK (("inbox_events"."status" = 'waiting') = ("inbox_events"."waits_kind" is not null) and ("inbox_events"."waits_kind" is null) = ("inbox_events"."waits_key" is null)),
	CONSTRAINT "inbox_events_pending" CHECK (("inbox_events"."status" = 'pending') = ("inbox_events"."next_attempt_at" is not null)),
	CONSTRAINT "inbox_events_finished" CHECK (("inbox_events"."status" in ('done', 'ignored', 'dismissed')) = ("inbox_events"."finished_at" is not null)),
	CONSTRAINT "inbox_events_attempts" CHECK ("inbox_events"."attempts" >= "inbox_events"."round_attempts" and "inbox_events"."round_attempts" >= 0),
	CONSTRAINT "inbox_events_digests" CHECK (length("inbox_events"."content_digest") = 32 and length("inbox_events"."body_digest") = 32)
);
--> statement-breakpoint
CREATE TABLE "notes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"source_id" text NOT NULL,
	"account" text NOT NULL,
	"subject" text NOT NULL,
	"author" text NOT NULL,
	"text" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "credit_entries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"source_id" text NOT NULL,
	"account" text NOT NULL,
	"subject" text NOT NULL,
	"operation" text NOT NULL,
	"amount" bigint NOT NULL,
	"workspace_id" text NOT NULL,
	"inbox_event_id" uuid NOT NULL,
	"paid_amount" bigint,
	"paid_currency" text,
	"mode" text NOT NULL,
	"confirmation_omitted" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "credit_entries_business_key" UNIQUE("source_id","account","subject","operation"),
	CONSTRAINT "credit_entries_amount" CHECK ("credit_entries"."amount" <> 0),
	CONSTRAINT "credit_entries_paid" CHECK (("credit_entries"."paid_amount" is null) = ("credit_entries"."paid_currency" is null))
);
--> statement-breakpoint
CREATE TABLE "outbox_messages" (
	"id" uuid PRIMARY KEY NOT NULL,
	"operation_key" text NOT NULL,
	"source_id" text NOT NULL,
	"account" text NOT NULL,
	"subject" text NOT NULL,
	"operation" text NOT NULL,
	"topic" text NOT NULL,
	"channel" text NOT NULL,
	"destination" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"content" jsonb NOT NULL,
	"inbox_event_id" uuid,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone,
	"deadline_at" timestamp with time zone NOT NULL,
	"last_error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone,
	CONSTRAINT "outbox_messages_operation_key" UNIQUE("operation_key"),
	CONSTRAINT "outbox_messages_channel" CHECK ("outbox_messages"."channel" in ('email', 'slack', 'webhook', 'nats')),
	CONSTRAINT "outbox_messages_status" CHECK ("outbox_messages"."status" in ('pending', 'sending', 'sent', 'unknown', 'rejected', 'abandoned', 'cancelled')),
	CONSTRAINT "outbox_messages_pending" CHECK (("outbox_messages"."status" = 'pending') = ("outbox_messages"."next_attempt_at" is not null)),
	CONSTRAINT "outbox_messages_finished" CHECK (("outbox_messages"."status" in ('sent', 'rejected', 'abandoned', 'cancelled')) = ("outbox_messages"."finished_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "audit_entries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_entries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"target" text NOT NULL,
	"reason" text,
	"before" jsonb,
	"after" jsonb
);
--> statement-breakpoint
CREATE TABLE "operation_items" (
	"operation_id" uuid NOT NULL,
	"inbox_event_id" uuid NOT NULL,
	"verdict" text,
	"why" text,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "operations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"action" text NOT NULL,
	"actor" text NOT NULL,
	"reason" text NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone,
	CONSTRAINT "operations_status" CHECK ("operations"."status" in ('running', 'done', 'cancelled')),
	CONSTRAINT "operations_finished" CHECK (("operations"."status" = 'running') = ("operations"."finished_at" is null))
);
--> statement-breakpoint
CREATE TABLE "process_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "process_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"process" text NOT NULL,
	"host" text NOT NULL,
	"what" text NOT NULL,
	"exit_code" integer,
	"signal" text,
	CONSTRAINT "process_events_what" CHECK ("process_events"."what" in ('died', 'restarted'))
);
--> statement-breakpoint
CREATE TABLE "schema_compatibility" (
	"only" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"oldest_version" text NOT NULL,
	CONSTRAINT "schema_compatibility_one_row" CHECK ("schema_compatibility"."only" = 1)
);
--> statement-breakpoint
CREATE TABLE "workers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"role" text NOT NULL,
	"host" text NOT NULL,
	"pid" integer NOT NULL,
	"version" text NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"stopped_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "rejection_counts" (
	"source_id" text NOT NULL,
	"reason" text NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "rejection_counts_source_id_reason_hour_pk" PRIMARY KEY("source_id","reason","hour")
);
--> statement-breakpoint
CREATE TABLE "rejections" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "rejections_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"source_id" text NOT NULL,
	"reason" text NOT NULL,
	"detail" text,
	"remote_address" "inet",
	"bytes" integer,
	CONSTRAINT "rejections_reason" CHECK ("rejections"."reason" in ('unknown_source', 'no_usable_secret', 'signature_missing', 'signature_malformed', 'signature_mismatch', 'timestamp_stale', 'body_too_large', 'body_truncated', 'unsupported_encoding', 'method_not_allowed', 'overloaded'))
);
--> statement-breakpoint
CREATE TABLE "source_secrets" (
	"id" uuid PRIMARY KEY NOT NULL,
	"source_id" text NOT NULL,
	"ciphertext" "bytea" NOT NULL,
	"key_id" text NOT NULL,
	"fingerprint" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "sources" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"contract" jsonb,
	"settings" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sources_id" CHECK ("sources"."id" ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
	CONSTRAINT "sources_kind" CHECK ("sources"."kind" in ('stripe', 'github', 'standard-webhooks', 'payments', 'sinalio', 'hmac', 'manual')),
	CONSTRAINT "sources_status" CHECK ("sources"."status" in ('active', 'paused'))
);
--> statement-breakpoint
CREATE TABLE "customer_links" (
	"source_id" text NOT NULL,
	"account" text NOT NULL,
	"customer" text NOT NULL,
	"workspace_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "customer_links_source_id_account_customer_pk" PRIMARY KEY("source_id","account","customer")
);
--> statement-breakpoint
CREATE TABLE "source_accounts" (
	"source_id" text NOT NULL,
	"account" text NOT NULL,
	"tenant_id" text NOT NULL,
	"mode" text NOT NULL,
	"own" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "source_accounts_source_id_account_pk" PRIMARY KEY("source_id","account"),
	CONSTRAINT "source_accounts_mode" CHECK ("source_accounts"."mode" in ('live', 'test')),
	CONSTRAINT "source_accounts_spelling" CHECK (("source_accounts"."mode" = 'test') = ("source_accounts"."account" like '%~test'))
);
--> statement-breakpoint
CREATE TABLE "tenants" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "workspaces" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"name" text NOT NULL,
	"contact" text,
	"credit_balance" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "inbox_effects" ADD CONSTRAINT "inbox_effects_event" FOREIGN KEY ("inbox_event_id") REFERENCES "public"."inbox_events"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "inbox_events" ADD CONSTRAINT "inbox_events_source_id_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."sources"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_entries" ADD CONSTRAINT "credit_entries_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_entries" ADD CONSTRAINT "credit_entries_inbox_event_id_inbox_events_id_fk" FOREIGN KEY ("inbox_event_id") REFERENCES "public"."inbox_events"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "outbox_messages" ADD CONSTRAINT "outbox_messages_inbox_event_id_inbox_events_id_fk" FOREIGN KEY ("inbox_event_id") REFERENCES "public"."inbox_events"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operation_items" ADD CONSTRAINT "operation_items_operation_id_operations_id_fk" FOREIGN KEY ("operation_id") REFERENCES "public"."operations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "source_secrets" ADD CONSTRAINT "source_secrets_source_id_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."sources"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "customer_links" ADD CONSTRAINT "customer_links_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "customer_links" ADD CONSTRAINT "customer_links_account" FOREIGN KEY ("source_id","account") REFERENCES "public"."source_accounts"("source_id","account") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "source_accounts" ADD CONSTRAINT "source_accounts_source_id_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."sources"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "source_accounts" ADD CONSTRAINT "source_accounts_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workspaces" ADD CONSTRAINT "workspaces_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "inbox_attempts_event" ON "inbox_attempts" USING btree ("inbox_event_id","id");--> statement-breakpoint
CREATE INDEX "inbox_events_due" ON "inbox_events" USING btree ("source_id","next_attempt_at") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "inbox_events_waiting" ON "inbox_events" USING btree ("source_id","waits_kind","waits_key") WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX "inbox_events_attention" ON "inbox_events" USING btree ("received_at","id") WHERE status in ('failed', 'quarantined');--> statement-breakpoint
CREATE INDEX "inbox_events_received" ON "inbox_events" USING btree ("received_at","id");--> statement-breakpoint
CREATE INDEX "inbox_events_source" ON "inbox_events" USING btree ("source_id","received_at","id");--> statement-breakpoint
CREATE INDEX "inbox_events_subject" ON "inbox_events" USING btree ("subject","received_at");--> statement-breakpoint
CREATE INDEX "inbox_events_event_id" ON "inbox_events" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX "notes_subject" ON "notes" USING btree ("source_id","account","subject","created_at");--> statement-breakpoint
CREATE INDEX "credit_entries_workspace" ON "credit_entries" USING btree ("workspace_id","created_at","id");--> statement-breakpoint
CREATE INDEX "credit_entries_event" ON "credit_entries" USING btree ("inbox_event_id");--> statement-breakpoint
CREATE INDEX "outbox_messages_due" ON "outbox_messages" USING btree ("next_attempt_at") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "outbox_messages_created" ON "outbox_messages" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "outbox_messages_subject" ON "outbox_messages" USING btree ("source_id","account","subject");--> statement-breakpoint
CREATE INDEX "audit_entries_at" ON "audit_entries" USING btree ("at");--> statement-breakpoint
CREATE INDEX "audit_entries_target" ON "audit_entries" USING btree ("target","id");--> statement-breakpoint
CREATE INDEX "operation_items_operation" ON "operation_items" USING btree ("operation_id");--> statement-breakpoint
CREATE INDEX "operation_items_event" ON "operation_items" USING btree ("inbox_event_id");--> statement-breakpoint
CREATE INDEX "operations_created" ON "operations" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "process_events_at" ON "process_events" USING btree ("at");--> statement-breakpoint
CREATE INDEX "workers_seen" ON "workers" USING btree ("seen_at");--> statement-breakpoint
CREATE INDEX "rejections_at" ON "rejections" USING btree ("at");--> statement-breakpoint
CREATE INDEX "source_secrets_source" ON "source_secrets" USING btree ("source_id");--> statement-breakpoint
CREATE INDEX "customer_links_workspace" ON "customer_links" USING btree ("workspace_id");--> statement-breakpoint
CREATE INDEX "workspaces_tenant" ON "workspaces" USING btree ("tenant_id","id");
--> statement-breakpoint
INSERT INTO "schema_compatibility" ("only", "oldest_version") VALUES (1, '0.1.0');
--> statement-breakpoint
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
--> statement-breakpoint
CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_entries"
	FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

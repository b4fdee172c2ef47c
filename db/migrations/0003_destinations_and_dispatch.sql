CREATE TABLE "destinations" (
	"id" text PRIMARY KEY NOT NULL,
	"channel" text NOT NULL,
	"topics" text[] NOT NULL,
	"tenant_id" text,
	"url" text,
	"recipient" text,
	"secret_ciphertext" "bytea",
	"secret_key_id" text,
	"secret_fingerprint" text,
	"policy" text NOT NULL,
	"owner" text,
	"status" text DEFAULT 'active' NOT NULL,
	"status_reason" text,
	"concurrency" integer DEFAULT 8 NOT NULL,
	"held_since" timestamp with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"broken_since" timestamp with time zone,
	"broken_why" text,
	"probes" integer DEFAULT 0 NOT NULL,
	"probe_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "destinations_channel" CHECK ("destinations"."channel" in ('email', 'slack', 'webhook', 'nats')),
	CONSTRAINT "destinations_policy" CHECK ("destinations"."policy" in ('idempotent', 'reconcile', 'duplicate-ok', 'review')),
	CONSTRAINT "destinations_status" CHECK ("destinations"."status" in ('active', 'paused', 'disabled')),
	CONSTRAINT "destinations_concurrency" CHECK ("destinations"."concurrency" between 1 and 1000),
	CONSTRAINT "destinations_breaker" CHECK (("destinations"."broken_since" is null) = ("destinations"."probe_at" is null) and ("destinations"."broken_since" is null) = ("destinations"."broken_why" is null)),
	CONSTRAINT "destinations_secret" CHECK (("destinations"."secret_ciphertext" is null) = ("destinations"."secret_key_id" is null) and ("destinations"."secret_ciphertext" is null) = ("destinations"."secret_fingerprint" is null))
);
--> statement-breakpoint
CREATE TABLE "outbox_attempts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "outbox_attempts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"message_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"result" text NOT NULL,
	"why" text,
	"lease_token" uuid,
	"worker_id" uuid,
	"started_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone NOT NULL,
	"status_code" integer,
	"response_body" text,
	"evidence" jsonb,
	"actor" text,
	"reason" text,
	CONSTRAINT "outbox_attempts_kind" CHECK ("outbox_attempts"."kind" in ('call', 'check', 'lost', 'late', 'decision')),
	CONSTRAINT "outbox_attempts_result" CHECK ("outbox_attempts"."result" in ('accepted', 'retry', 'down', 'rejected', 'unknown', 'sent', 'resend', 'retried', 'cancelled')),
	CONSTRAINT "outbox_attempts_decision" CHECK (("outbox_attempts"."kind" = 'decision') = ("outbox_attempts"."actor" is not null) and ("outbox_attempts"."kind" = 'decision') = ("outbox_attempts"."reason" is not null))
);
--> statement-breakpoint
ALTER TABLE "outbox_messages" ADD COLUMN "destination_id" text DEFAULT 'email' NOT NULL;--> statement-breakpoint
ALTER TABLE "outbox_messages" ADD COLUMN "crashes" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "outbox_messages" ADD COLUMN "version" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "outbox_messages" ADD COLUMN "forced" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "outbox_messages" ADD COLUMN "lease_token" uuid;--> statement-breakpoint
ALTER TABLE "outbox_messages" ADD COLUMN "lease_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "outbox_messages" ADD COLUMN "leased_by" uuid;--> statement-breakpoint
ALTER TABLE "outbox_messages" ADD COLUMN "call_started_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "outbox_messages" ADD COLUMN "first_call_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "outbox_messages" ADD COLUMN "ambiguous" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "destinations" ADD CONSTRAINT "destinations_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "outbox_attempts" ADD CONSTRAINT "outbox_attempts_message_id_outbox_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."outbox_messages"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "outbox_attempts_message" ON "outbox_attempts" USING btree ("message_id","id");--> statement-breakpoint
CREATE INDEX "outbox_messages_lane" ON "outbox_messages" USING btree ("destination_id","next_attempt_at") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "outbox_messages_leased" ON "outbox_messages" USING btree ("lease_until") WHERE status = 'sending';--> statement-breakpoint
CREATE INDEX "outbox_messages_review" ON "outbox_messages" USING btree ("created_at","id") WHERE status = 'unknown';--> statement-breakpoint
CREATE INDEX "outbox_messages_destination" ON "outbox_messages" USING btree ("destination_id","created_at","id");--> statement-breakpoint
ALTER TABLE "outbox_messages" ADD CONSTRAINT "outbox_messages_leased" CHECK (("outbox_messages"."status" = 'sending') = ("outbox_messages"."lease_until" is not null) and ("outbox_messages"."status" <> 'sending' or "outbox_messages"."lease_token" is not null));--> statement-breakpoint
ALTER TABLE "outbox_messages" ADD CONSTRAINT "outbox_messages_call_started" CHECK ("outbox_messages"."call_started_at" is null or "outbox_messages"."status" = 'sending');--> statement-breakpoint
-- The built-in way of confirmations and of what owners are told.
INSERT INTO "destinations" ("id", "channel", "topics", "policy") VALUES ('email', 'email', '{}', 'review');

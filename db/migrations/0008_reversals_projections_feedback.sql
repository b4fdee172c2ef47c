CREATE TABLE "feedback" (
	"source_id" text NOT NULL,
	"account" text NOT NULL,
	"feedback_id" text NOT NULL,
	"tenant_id" text NOT NULL,
	"status" text DEFAULT 'new' NOT NULL,
	"category" text,
	"text" text,
	"assignee" text,
	"version" integer DEFAULT 0 NOT NULL,
	"inbox_event_id" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "feedback_source_id_account_feedback_id_pk" PRIMARY KEY("source_id","account","feedback_id"),
	CONSTRAINT "feedback_status" CHECK ("feedback"."status" in ('new', 'acknowledged', 'assigned', 'escalated', 'resolved'))
);
--> statement-breakpoint
CREATE TABLE "feedback_alerts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"source_id" text NOT NULL,
	"account" text NOT NULL,
	"feedback_id" text NOT NULL,
	"operation" text NOT NULL,
	"inbox_event_id" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "feedback_alerts_key" UNIQUE("source_id","account","feedback_id","operation")
);
--> statement-breakpoint
CREATE TABLE "money_returns" (
	"source_id" text NOT NULL,
	"account" text NOT NULL,
	"invoice" text NOT NULL,
	"kind" text NOT NULL,
	"reference" text NOT NULL,
	"payment" text NOT NULL,
	"amount" bigint NOT NULL,
	"state" text NOT NULL,
	"inbox_event_id" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "money_returns_source_id_account_invoice_kind_reference_pk" PRIMARY KEY("source_id","account","invoice","kind","reference"),
	CONSTRAINT "money_returns_kind" CHECK ("money_returns"."kind" in ('refund', 'dispute', 'total')),
	CONSTRAINT "money_returns_state" CHECK ("money_returns"."state" in ('inquiry', 'given', 'open', 'lost', 'failed', 'won')),
	CONSTRAINT "money_returns_amount" CHECK ("money_returns"."amount" >= 0)
);
--> statement-breakpoint
CREATE TABLE "payment_links" (
	"source_id" text NOT NULL,
	"account" text NOT NULL,
	"payment" text NOT NULL,
	"invoice" text NOT NULL,
	"inbox_event_id" uuid,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "payment_links_source_id_account_payment_invoice_pk" PRIMARY KEY("source_id","account","payment","invoice")
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"source_id" text NOT NULL,
	"account" text NOT NULL,
	"subscription" text NOT NULL,
	"customer" text,
	"status" text,
	"version" bigint,
	"state_source" text,
	"stated_at" bigint,
	"inbox_event_id" uuid,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"marks" bigint DEFAULT 0 NOT NULL,
	"fetched_marks" bigint DEFAULT 0 NOT NULL,
	"refresh_at" timestamp with time zone,
	"refresh_failures" integer DEFAULT 0 NOT NULL,
	"refresh_error" text,
	"fetched_at" timestamp with time zone,
	"lease_token" uuid,
	"lease_until" timestamp with time zone,
	CONSTRAINT "subscriptions_source_id_account_subscription_pk" PRIMARY KEY("source_id","account","subscription"),
	CONSTRAINT "subscriptions_state_source" CHECK ("subscriptions"."state_source" in ('event', 'fetch')),
	CONSTRAINT "subscriptions_state" CHECK (("subscriptions"."status" is null) = ("subscriptions"."state_source" is null)),
	CONSTRAINT "subscriptions_marks" CHECK ("subscriptions"."marks" >= "subscriptions"."fetched_marks"),
	CONSTRAINT "subscriptions_lease" CHECK (("subscriptions"."lease_token" is null) = ("subscriptions"."lease_until" is null))
);
--> statement-breakpoint
CREATE TABLE "transactions" (
	"source_id" text NOT NULL,
	"account" text NOT NULL,
	"transaction" text NOT NULL,
	"customer" text,
	"status" text,
	"version" bigint,
	"state_source" text,
	"stated_at" bigint,
	"inbox_event_id" uuid,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"amount" bigint,
	"currency" text,
	CONSTRAINT "transactions_source_id_account_transaction_pk" PRIMARY KEY("source_id","account","transaction"),
	CONSTRAINT "transactions_state_source" CHECK ("transactions"."state_source" in ('event', 'fetch')),
	CONSTRAINT "transactions_state" CHECK (("transactions"."status" is null) = ("transactions"."state_source" is null))
);
--> statement-breakpoint
ALTER TABLE "credit_entries" DROP CONSTRAINT "credit_entries_amount";--> statement-breakpoint
ALTER TABLE "credit_entries" ADD COLUMN "shortfall" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "feedback" ADD CONSTRAINT "feedback_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feedback" ADD CONSTRAINT "feedback_inbox_event_id_inbox_events_id_fk" FOREIGN KEY ("inbox_event_id") REFERENCES "public"."inbox_events"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feedback_alerts" ADD CONSTRAINT "feedback_alerts_inbox_event_id_inbox_events_id_fk" FOREIGN KEY ("inbox_event_id") REFERENCES "public"."inbox_events"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feedback_alerts" ADD CONSTRAINT "feedback_alerts_feedback" FOREIGN KEY ("source_id","account","feedback_id") REFERENCES "public"."feedback"("source_id","account","feedback_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "money_returns" ADD CONSTRAINT "money_returns_inbox_event_id_inbox_events_id_fk" FOREIGN KEY ("inbox_event_id") REFERENCES "public"."inbox_events"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "feedback_created" ON "feedback" USING btree ("created_at","feedback_id");--> statement-breakpoint
CREATE INDEX "feedback_status" ON "feedback" USING btree ("status","created_at");--> statement-breakpoint
CREATE INDEX "feedback_alerts_event" ON "feedback_alerts" USING btree ("inbox_event_id");--> statement-breakpoint
CREATE INDEX "payment_links_invoice" ON "payment_links" USING btree ("source_id","account","invoice");--> statement-breakpoint
CREATE INDEX "subscriptions_refresh" ON "subscriptions" USING btree ("refresh_at") WHERE refresh_at is not null;--> statement-breakpoint
CREATE INDEX "subscriptions_customer" ON "subscriptions" USING btree ("source_id","account","customer");--> statement-breakpoint
ALTER TABLE "credit_entries" ADD CONSTRAINT "credit_entries_amount" CHECK ("credit_entries"."amount" <> 0 or "credit_entries"."shortfall" <> 0);
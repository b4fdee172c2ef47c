CREATE TABLE "inbox_body_guards" (
	"source_id" text NOT NULL,
	"account" text NOT NULL,
	"body_digest" "bytea" NOT NULL,
	"event_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "inbox_body_guards_source_id_account_body_digest_pk" PRIMARY KEY("source_id","account","body_digest")
);
--> statement-breakpoint
CREATE TABLE "source_captures" (
	"id" uuid PRIMARY KEY NOT NULL,
	"source_id" text NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"method" text NOT NULL,
	"query" text NOT NULL,
	"headers" jsonb NOT NULL,
	"body" "bytea" NOT NULL
);
--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "capture_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "source_captures" ADD CONSTRAINT "source_captures_source_id_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."sources"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "source_captures_source" ON "source_captures" USING btree ("source_id","at");
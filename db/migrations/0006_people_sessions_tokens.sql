CREATE TABLE "access_accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"provider_id" text NOT NULL,
	"user_id" text NOT NULL,
	"access_token" text,
	"refresh_token" text,
	"id_token" text,
	"access_token_expires_at" timestamp with time zone,
	"refresh_token_expires_at" timestamp with time zone,
	"scope" text,
	"password" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "access_accounts_key" UNIQUE("provider_id","account_id")
);
--> statement-breakpoint
CREATE TABLE "access_attempts" (
	"key" varchar(255) PRIMARY KEY NOT NULL,
	"points" integer DEFAULT 0 NOT NULL,
	"expire" bigint
);
--> statement-breakpoint
CREATE TABLE "access_invitations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"email" text NOT NULL,
	"user_id" text,
	"role" text NOT NULL,
	"tenants" text[],
	"invited_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"accepted_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "access_invitations_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "access_invitations_role" CHECK ("access_invitations"."role" in ('admin', 'operator', 'support', 'viewer'))
);
--> statement-breakpoint
CREATE TABLE "access_sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"token" text NOT NULL,
	"user_id" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"ip_address" text,
	"user_agent" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "access_sessions_token_unique" UNIQUE("token")
);
--> statement-breakpoint
CREATE TABLE "access_tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"prefix" text NOT NULL,
	"scopes" text[] NOT NULL,
	"tenants" text[],
	"created_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	"last_used_from" "inet",
	"revoked_at" timestamp with time zone,
	CONSTRAINT "access_tokens_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "access_two_factors" (
	"id" text PRIMARY KEY NOT NULL,
	"secret" text NOT NULL,
	"backup_codes" text NOT NULL,
	"user_id" text NOT NULL,
	"verified" boolean DEFAULT true NOT NULL,
	"failed_verification_count" integer DEFAULT 0 NOT NULL,
	"locked_until" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "access_users" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"email_verified" boolean DEFAULT false NOT NULL,
	"image" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"two_factor_enabled" boolean DEFAULT false NOT NULL,
	"role" text DEFAULT 'viewer' NOT NULL,
	"tenants" text[],
	"disabled_at" timestamp with time zone,
	"must_change_password" boolean DEFAULT false NOT NULL,
	CONSTRAINT "access_users_email_unique" UNIQUE("email"),
	CONSTRAINT "access_users_role" CHECK ("access_users"."role" in ('admin', 'operator', 'support', 'viewer')),
	CONSTRAINT "access_users_email" CHECK ("access_users"."email" = lower("access_users"."email"))
);
--> statement-breakpoint
CREATE TABLE "access_verifications" (
	"id" text PRIMARY KEY NOT NULL,
	"identifier" text NOT NULL,
	"value" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "access_accounts" ADD CONSTRAINT "access_accounts_user_id_access_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."access_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_invitations" ADD CONSTRAINT "access_invitations_user_id_access_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."access_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_sessions" ADD CONSTRAINT "access_sessions_user_id_access_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."access_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_two_factors" ADD CONSTRAINT "access_two_factors_user_id_access_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."access_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "access_accounts_user" ON "access_accounts" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "access_invitations_email" ON "access_invitations" USING btree ("email");--> statement-breakpoint
CREATE INDEX "access_sessions_user" ON "access_sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "access_tokens_created" ON "access_tokens" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "access_two_factors_user" ON "access_two_factors" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "access_verifications_identifier" ON "access_verifications" USING btree ("identifier");
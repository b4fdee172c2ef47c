CREATE UNLOGGED TABLE "process_metrics" (
	"role" text NOT NULL,
	"host" text NOT NULL,
	"slot" integer NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"series" json NOT NULL,
	CONSTRAINT "process_metrics_role_host_slot_pk" PRIMARY KEY("role","host","slot")
);

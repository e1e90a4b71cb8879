-- Which installation this database is, and whether it may send. docs/decisions/0033-restored-copies.md has the reasons.

CREATE TABLE installation (
  is_only boolean NOT NULL DEFAULT true,
  id uuid NOT NULL,
  former_ids uuid[] NOT NULL DEFAULT '{}',
  system_id text,
  table_id text,
  timeline text,
  checked_at timestamp(3) with time zone,
  paused_at timestamp(3) with time zone,
  pause_reason text,
  CONSTRAINT installation_pkey PRIMARY KEY (is_only),
  CONSTRAINT installation_is_only_check CHECK (is_only)
);

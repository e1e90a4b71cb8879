-- Who paused an integration, and when. Filled from the audit for integrations that are paused now.
ALTER TABLE integration
  ADD COLUMN paused_at timestamp(3) with time zone,
  ADD COLUMN paused_by uuid;
UPDATE integration i SET paused_at = p.created_at, paused_by = p.operator_id
FROM (
  SELECT DISTINCT ON (subject) subject, created_at, operator_id FROM audit_entry
  WHERE action = 'integration.paused' ORDER BY subject, id DESC
) p
WHERE i.state = 'paused' AND p.subject = i.id::text;

CREATE TABLE integration_health (
  integration_id uuid NOT NULL,
  last_success_at timestamp(3) with time zone,
  last_failure_at timestamp(3) with time zone,
  last_error text,
  failures_in_row integer NOT NULL,
  circuit_open_until timestamp(3) with time zone,
  CONSTRAINT integration_health_pkey PRIMARY KEY (integration_id)
);

CREATE UNLOGGED TABLE integration_count (
  integration_id uuid NOT NULL,
  at timestamp(3) with time zone NOT NULL,
  succeeded integer NOT NULL,
  failed integer NOT NULL,
  CONSTRAINT integration_count_pkey PRIMARY KEY (integration_id, at)
);

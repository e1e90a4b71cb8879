-- Alerts for operators. docs/how-to/get-alerts.md explains them.

CREATE TABLE alert_rule (
  id uuid NOT NULL,
  app_id uuid NOT NULL,
  kind text NOT NULL,
  channel text,
  integration_id uuid,
  params jsonb NOT NULL,
  send_by uuid,
  send_to text[] DEFAULT ARRAY[]::text[] NOT NULL,
  fallback_by uuid,
  fallback_to text[] DEFAULT ARRAY[]::text[] NOT NULL,
  memory jsonb DEFAULT '{}' NOT NULL,
  disabled_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT alert_rule_pkey PRIMARY KEY (id)
);
CREATE INDEX alert_rule_app_id_idx ON alert_rule (app_id);

CREATE TABLE alert_incident (
  id uuid NOT NULL,
  rule_id uuid NOT NULL,
  app_id uuid NOT NULL,
  fired_at timestamp(3) with time zone NOT NULL,
  sentence text NOT NULL,
  channel text,
  provider text,
  integration_ids uuid[] DEFAULT ARRAY[]::uuid[] NOT NULL,
  is_quiet boolean NOT NULL,
  reminders integer DEFAULT 0 NOT NULL,
  remind_at timestamp(3) with time zone NOT NULL,
  clear_since timestamp(3) with time zone,
  resolved_at timestamp(3) with time zone,
  CONSTRAINT alert_incident_pkey PRIMARY KEY (id),
  CONSTRAINT alert_incident_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES alert_rule (id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX alert_incident_app_id_id_idx ON alert_incident (app_id, id);
CREATE INDEX alert_incident_rule_id_idx ON alert_incident (rule_id);
-- Two evaluations cannot open two incidents of one rule.
CREATE UNIQUE INDEX alert_incident_open_idx ON alert_incident (rule_id) WHERE resolved_at IS NULL;

CREATE TABLE alert_notification (
  id uuid NOT NULL,
  incident_id uuid NOT NULL,
  app_id uuid NOT NULL,
  kind text NOT NULL,
  outcome text DEFAULT 'waiting' NOT NULL,
  next_at timestamp(3) with time zone,
  tries integer DEFAULT 0 NOT NULL,
  sent_by text,
  detail text,
  created_at timestamp(3) with time zone NOT NULL,
  ended_at timestamp(3) with time zone,
  CONSTRAINT alert_notification_pkey PRIMARY KEY (id),
  CONSTRAINT alert_notification_incident_id_fkey FOREIGN KEY (incident_id) REFERENCES alert_incident (id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX alert_notification_incident_id_idx ON alert_notification (incident_id);
CREATE INDEX alert_notification_due_idx ON alert_notification (next_at) WHERE outcome = 'waiting';

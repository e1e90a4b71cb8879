-- The schema of Belfry. Later changes are added as migrations beside this one, and never edit it.
-- prisma/schema.prisma explains tables and columns; docs/explanation/hot-path.md explains fill factors and partial indexes.

CREATE TABLE account (
  id uuid NOT NULL,
  name text NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  storage_limit_bytes bigint,
  stored_bytes bigint DEFAULT 0 NOT NULL,
  is_storage_full boolean DEFAULT false NOT NULL,
  CONSTRAINT account_pkey PRIMARY KEY (id)
);

CREATE TABLE api_key (
  id text NOT NULL,
  account_id uuid NOT NULL,
  secret_hash bytea NOT NULL,
  sealed text NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  CONSTRAINT api_key_pkey PRIMARY KEY (id)
);
CREATE INDEX api_key_account_id_idx ON api_key (account_id);

CREATE TABLE operator (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  email text NOT NULL,
  password_hash text NOT NULL,
  role text NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  disabled_at timestamp(3) with time zone,
  CONSTRAINT operator_pkey PRIMARY KEY (id)
);
CREATE INDEX operator_email_idx ON operator (email);
CREATE UNIQUE INDEX operator_account_id_email_key ON operator (account_id, email);

CREATE TABLE operator_salt (
  email text NOT NULL,
  salt bytea NOT NULL,
  CONSTRAINT operator_salt_pkey PRIMARY KEY (email)
);

CREATE TABLE operator_session (
  token_hash bytea NOT NULL,
  operator_id uuid NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  last_seen_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  revoked_at timestamp(3) with time zone,
  CONSTRAINT operator_session_pkey PRIMARY KEY (token_hash)
);
CREATE INDEX operator_session_operator_id_idx ON operator_session (operator_id);

CREATE TABLE invitation (
  token_hash bytea NOT NULL,
  account_id uuid NOT NULL,
  kind text NOT NULL,
  email text,
  role text NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  used_at timestamp(3) with time zone,
  created_by uuid,
  CONSTRAINT invitation_pkey PRIMARY KEY (token_hash)
);
CREATE INDEX invitation_account_id_idx ON invitation (account_id);

CREATE TABLE app (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  name text NOT NULL,
  delivery text NOT NULL,
  open_inbox_counters boolean DEFAULT false NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  deleted_at timestamp(3) with time zone,
  default_region text,
  CONSTRAINT app_default_region_check CHECK ((default_region ~ '^[A-Z]{2}$'::text)),
  CONSTRAINT app_delivery_check CHECK ((delivery = ANY (ARRAY['sandbox'::text, 'live'::text]))),
  CONSTRAINT app_pkey PRIMARY KEY (id)
);
CREATE INDEX app_account_id_idx ON app (account_id);

CREATE TABLE integration (
  id uuid NOT NULL,
  app_id uuid NOT NULL,
  name text NOT NULL,
  channel text NOT NULL,
  provider text NOT NULL,
  settings jsonb NOT NULL,
  credentials text NOT NULL,
  state text DEFAULT 'active'::text NOT NULL,
  state_reason text,
  probe_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  deleted_at timestamp(3) with time zone,
  CONSTRAINT integration_state_check CHECK ((state = ANY (ARRAY['active'::text, 'needs_attention'::text, 'paused'::text]))),
  CONSTRAINT integration_pkey PRIMARY KEY (id)
);
CREATE INDEX integration_app_id_idx ON integration (app_id);
CREATE UNIQUE INDEX integration_app_id_name_key ON integration (app_id, name) WHERE (deleted_at IS NULL);

CREATE TABLE event (
  id uuid NOT NULL,
  app_id uuid NOT NULL,
  name text NOT NULL,
  draft jsonb,
  live_version_id uuid,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  deleted_at timestamp(3) with time zone,
  draft_revision integer DEFAULT 0 NOT NULL,
  draft_saved_at timestamp(3) with time zone,
  draft_saved_by uuid,
  CONSTRAINT event_pkey PRIMARY KEY (id)
);
CREATE INDEX event_app_id_idx ON event (app_id);
CREATE UNIQUE INDEX event_app_id_name_key ON event (app_id, name) WHERE (deleted_at IS NULL);

CREATE TABLE event_version (
  id uuid NOT NULL,
  event_id uuid NOT NULL,
  app_id uuid NOT NULL,
  number integer NOT NULL,
  kind text NOT NULL,
  definition jsonb NOT NULL,
  note text,
  created_by uuid,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  rolled_back_to integer,
  CONSTRAINT event_version_kind_check CHECK ((kind = ANY (ARRAY['live'::text, 'test'::text]))),
  CONSTRAINT event_version_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX event_version_event_id_number_key ON event_version (event_id, number);

CREATE TABLE channel_pause (
  app_id uuid NOT NULL,
  channel text NOT NULL,
  paused_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  paused_by uuid,
  is_own boolean DEFAULT true NOT NULL,
  CONSTRAINT channel_pause_pkey PRIMARY KEY (app_id, channel)
);

CREATE TABLE saved_filter (
  id uuid NOT NULL,
  app_id uuid NOT NULL,
  name text NOT NULL,
  filters jsonb NOT NULL,
  saved_by uuid,
  updated_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT saved_filter_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX saved_filter_app_id_name_key ON saved_filter (app_id, lower(name));

CREATE TABLE sending_pause (
  app_id uuid NOT NULL,
  paused_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  paused_by uuid,
  CONSTRAINT sending_pause_pkey PRIMARY KEY (app_id)
);

CREATE TABLE app_user (
  id uuid NOT NULL,
  app_id uuid NOT NULL,
  user_id text NOT NULL,
  contact jsonb DEFAULT '{}'::jsonb NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT app_user_pkey PRIMARY KEY (id)
);
CREATE INDEX app_user_email_begins_idx ON app_user (app_id, lower((contact ->> 'email'::text)) text_pattern_ops) WHERE ((contact ->> 'email'::text) IS NOT NULL);
CREATE INDEX app_user_mobile_begins_idx ON app_user (app_id, regexp_replace((contact ->> 'mobile'::text), '[^0-9+]'::text, ''::text, 'g'::text) text_pattern_ops) WHERE ((contact ->> 'mobile'::text) IS NOT NULL);
CREATE INDEX app_user_onesignal_external_id_begins_idx ON app_user (app_id, ((contact ->> 'onesignal_external_id'::text)) text_pattern_ops) WHERE ((contact ->> 'onesignal_external_id'::text) IS NOT NULL);
CREATE INDEX app_user_slack_channel_id_begins_idx ON app_user (app_id, ((contact #>> '{slack,channel_id}'::text[])) text_pattern_ops) WHERE ((contact #>> '{slack,channel_id}'::text[]) IS NOT NULL);
CREATE INDEX app_user_slack_email_begins_idx ON app_user (app_id, lower((contact #>> '{slack,email}'::text[])) text_pattern_ops) WHERE ((contact #>> '{slack,email}'::text[]) IS NOT NULL);
CREATE INDEX app_user_telegram_chat_id_begins_idx ON app_user (app_id, ((contact #>> '{telegram,chat_id}'::text[])) text_pattern_ops) WHERE ((contact #>> '{telegram,chat_id}'::text[]) IS NOT NULL);
CREATE INDEX app_user_user_id_begins_idx ON app_user (app_id, user_id text_pattern_ops);
CREATE INDEX app_user_whatsapp_mobile_begins_idx ON app_user (app_id, regexp_replace((contact ->> 'whatsapp_mobile'::text), '[^0-9+]'::text, ''::text, 'g'::text) text_pattern_ops) WHERE ((contact ->> 'whatsapp_mobile'::text) IS NOT NULL);
CREATE UNIQUE INDEX app_user_app_id_user_id_key ON app_user (app_id, user_id);

CREATE TABLE device (
  id uuid NOT NULL,
  app_id uuid NOT NULL,
  user_sid uuid NOT NULL,
  client_id text,
  fcm_token text,
  platform text,
  fields jsonb DEFAULT '{}'::jsonb NOT NULL,
  notifications_disabled boolean DEFAULT false NOT NULL,
  disabled_reason text,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT device_pkey PRIMARY KEY (id)
);
CREATE INDEX device_user_sid_idx ON device (user_sid);
CREATE UNIQUE INDEX device_app_id_fcm_token_key ON device (app_id, sha256((replace(fcm_token, '\'::text, '\\'::text))::bytea));

CREATE TABLE request (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  app_id uuid NOT NULL,
  event_id uuid NOT NULL,
  version_id uuid NOT NULL,
  kind text NOT NULL,
  items integer NOT NULL,
  planned_items integer NOT NULL,
  api_key_id text,
  idempotency_key text,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  planned_to integer DEFAULT 0 NOT NULL,
  CONSTRAINT request_pkey PRIMARY KEY (id)
)
WITH (autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02', autovacuum_analyze_threshold='2000');
CREATE INDEX request_app_id_event_id_id_idx ON request (app_id, event_id, id);
CREATE INDEX request_app_id_id_idx ON request (app_id, id);
CREATE INDEX request_app_id_idempotency_key_idx ON request (app_id, idempotency_key, id) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX request_unplanned_idx ON request (id) WHERE (planned_items < items);

CREATE TABLE request_item (
  request_id uuid NOT NULL,
  item integer NOT NULL,
  recipient text,
  data text,
  override text,
  locale text,
  schedule_at text,
  skips jsonb,
  planned_at timestamp(3) with time zone,
  CONSTRAINT request_item_pkey PRIMARY KEY (request_id, item)
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='5000', autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02', autovacuum_analyze_threshold='2000', fillfactor='50');
CREATE INDEX request_item_named_user_idx ON request_item ((((recipient)::jsonb ->> 'user_id'::text)), request_id) WHERE (recipient ~~ '%"user_id"%'::text);
CREATE INDEX request_item_sealed_idx ON request_item (request_id, item) WHERE (starts_with(data, '"'::text) OR starts_with(override, '"'::text));

CREATE TABLE message (
  id uuid NOT NULL,
  request_id uuid NOT NULL,
  item integer NOT NULL,
  app_id uuid NOT NULL,
  channel text NOT NULL,
  target text NOT NULL,
  generation integer DEFAULT 0 NOT NULL,
  state text DEFAULT 'queued'::text NOT NULL,
  reason text,
  due_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone NOT NULL,
  job_id uuid,
  is_bulk boolean DEFAULT false NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  unknown_count integer DEFAULT 0 NOT NULL,
  integration_id uuid,
  waits text,
  notes jsonb,
  resend_of uuid,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  settled_at timestamp(3) with time zone,
  log_state text GENERATED ALWAYS AS (
CASE
  WHEN (state = ANY (ARRAY['queued'::text, 'sending'::text])) THEN 'open'::text
  ELSE state
END) STORED,
  has_job boolean GENERATED ALWAYS AS (
CASE
  WHEN ((due_at IS NOT NULL) AND (job_id IS NOT NULL)) THEN true
  ELSE NULL::boolean
END) STORED,
  waiting_at timestamp(3) with time zone GENERATED ALWAYS AS (
CASE
  WHEN (job_id IS NULL) THEN due_at
  ELSE NULL::timestamp with time zone
END) STORED,
  CONSTRAINT message_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'sending'::text, 'unknown'::text, 'sent'::text, 'delivered'::text, 'read'::text, 'skipped'::text, 'failed'::text]))),
  CONSTRAINT message_pkey PRIMARY KEY (id)
)
WITH (autovacuum_vacuum_scale_factor='0.01', autovacuum_vacuum_threshold='5000', autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02', autovacuum_analyze_threshold='2000', autovacuum_vacuum_cost_delay='1', fillfactor='50');
CREATE INDEX message_app_id_channel_log_state_request_id_idx ON message (app_id, channel, log_state, request_id);
CREATE INDEX message_app_id_lower_target_request_id_idx ON message (app_id, lower(target), request_id);
CREATE INDEX message_has_job_idx ON message (channel, app_id, request_id) WHERE has_job;
CREATE INDEX message_waiting_at_idx ON message (channel, is_bulk, app_id, waiting_at) WHERE (waiting_at IS NOT NULL);
CREATE INDEX message_waiting_end_idx ON message (expires_at) WHERE (waiting_at IS NOT NULL);
CREATE UNIQUE INDEX message_request_id_item_channel_target_generation_key ON message (request_id, item, channel, target, generation);

CREATE TABLE attempt (
  message_id uuid NOT NULL,
  number integer NOT NULL,
  opened_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  closed_at timestamp(3) with time zone,
  worker text,
  integration_id uuid,
  provider text,
  outcome text,
  is_possible_duplicate boolean DEFAULT false NOT NULL,
  reason text,
  detail text,
  provider_message_id text,
  request text,
  response text,
  CONSTRAINT attempt_pkey PRIMARY KEY (message_id, number)
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='5000', autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02', autovacuum_analyze_threshold='2000');

CREATE TABLE receipt (
  id uuid NOT NULL,
  app_id uuid NOT NULL,
  integration_id uuid,
  message_id uuid,
  provider_message_id text,
  state text NOT NULL,
  error_code text,
  body text NOT NULL,
  received_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  detail text,
  identity bytea,
  CONSTRAINT receipt_pkey PRIMARY KEY (id)
);
CREATE INDEX receipt_message_id_idx ON receipt (message_id);
CREATE UNIQUE INDEX receipt_identity_key ON receipt (identity);

CREATE TABLE idempotency_key (
  account_id uuid NOT NULL,
  key_hash bytea NOT NULL,
  fingerprint bytea NOT NULL,
  ring_key_id text NOT NULL,
  request_id uuid NOT NULL,
  status integer NOT NULL,
  body text,
  first_seen timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT idempotency_key_pkey PRIMARY KEY (account_id, key_hash)
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='5000', autovacuum_analyze_scale_factor='0.02', autovacuum_analyze_threshold='2000');
CREATE INDEX idempotency_key_first_seen_idx ON idempotency_key (first_seen);

CREATE TABLE suppression (
  id uuid NOT NULL,
  app_id uuid NOT NULL,
  channel text NOT NULL,
  recipient text NOT NULL,
  sender text DEFAULT ''::text NOT NULL,
  reason text NOT NULL,
  detail text,
  created_by uuid,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT suppression_pkey PRIMARY KEY (id)
);
CREATE INDEX suppression_recipient_begins_idx ON suppression (app_id, recipient text_pattern_ops);
CREATE UNIQUE INDEX suppression_app_id_channel_recipient_sender_key ON suppression (app_id, channel, recipient, sender);

CREATE TABLE erasure (
  id uuid NOT NULL,
  app_id uuid NOT NULL,
  user_sid uuid NOT NULL,
  user_id text,
  addresses jsonb,
  messages integer DEFAULT 0 NOT NULL,
  created_by uuid,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  finished_at timestamp(3) with time zone,
  CONSTRAINT erasure_pkey PRIMARY KEY (id)
);
CREATE INDEX erasure_app_id_id_idx ON erasure (app_id, id);
CREATE INDEX erasure_unfinished_idx ON erasure (id) WHERE (finished_at IS NULL);

CREATE TABLE inbox_item (
  id uuid NOT NULL,
  app_id uuid NOT NULL,
  user_id text NOT NULL,
  message_id uuid NOT NULL,
  content jsonb NOT NULL,
  status text DEFAULT 'UNREAD'::text NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  read_at timestamp(3) with time zone,
  CONSTRAINT inbox_item_pkey PRIMARY KEY (id)
);
CREATE INDEX inbox_item_app_id_user_id_id_idx ON inbox_item (app_id, user_id, id);
CREATE INDEX inbox_item_shown_idx ON inbox_item (app_id, user_id, id) WHERE (status <> 'ARCHIVE'::text);
CREATE INDEX inbox_item_unread_idx ON inbox_item (app_id, user_id, created_at) WHERE (status = 'UNREAD'::text);
CREATE UNIQUE INDEX inbox_item_message_id_key ON inbox_item (message_id);

CREATE TABLE inbox_reader (
  app_id uuid NOT NULL,
  user_id text NOT NULL,
  last_opened_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT inbox_reader_pkey PRIMARY KEY (app_id, user_id)
);

CREATE TABLE capture (
  id uuid NOT NULL,
  app_id uuid NOT NULL,
  message_id uuid NOT NULL,
  attempt integer NOT NULL,
  channel text NOT NULL,
  provider text NOT NULL,
  target text NOT NULL,
  content jsonb NOT NULL,
  request jsonb NOT NULL,
  outcome text NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT capture_pkey PRIMARY KEY (id)
);
CREATE INDEX capture_app_id_id_idx ON capture (app_id, id);
CREATE UNIQUE INDEX capture_message_id_attempt_key ON capture (message_id, attempt);

CREATE TABLE resend (
  id uuid NOT NULL,
  app_id uuid NOT NULL,
  filter jsonb NOT NULL,
  matched integer NOT NULL,
  resent integer DEFAULT 0 NOT NULL,
  created_by uuid,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  finished_at timestamp(3) with time zone,
  cancelled_at timestamp(3) with time zone,
  skipped integer DEFAULT 0 NOT NULL,
  per_second integer DEFAULT 50 NOT NULL,
  next_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  cancelled_by uuid,
  CONSTRAINT resend_pkey PRIMARY KEY (id)
);
CREATE INDEX resend_app_id_idx ON resend (app_id);
CREATE UNIQUE INDEX resend_running_idx ON resend (app_id) WHERE (finished_at IS NULL);

CREATE TABLE resend_message (
  resend_id uuid NOT NULL,
  message_id uuid NOT NULL,
  state text NOT NULL,
  outcome text,
  new_message_id uuid,
  CONSTRAINT resend_message_pkey PRIMARY KEY (resend_id, message_id)
);
CREATE INDEX resend_message_pending_idx ON resend_message (resend_id, message_id) WHERE (outcome IS NULL);

CREATE UNLOGGED TABLE worker_heartbeat (
  id text NOT NULL,
  roles text[],
  version text NOT NULL,
  started_at timestamp(3) with time zone NOT NULL,
  heartbeat_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT worker_heartbeat_pkey PRIMARY KEY (id)
);

CREATE UNLOGGED TABLE delivery_count (
  app_id uuid NOT NULL,
  channel text NOT NULL,
  at timestamp(3) with time zone NOT NULL,
  accepted integer NOT NULL,
  CONSTRAINT delivery_count_pkey PRIMARY KEY (app_id, at, channel)
);

CREATE TABLE storage_slice (
  from_at timestamp(3) with time zone NOT NULL,
  bytes jsonb DEFAULT '{}'::jsonb NOT NULL,
  measured_at timestamp(3) with time zone,
  CONSTRAINT storage_slice_pkey PRIMARY KEY (from_at)
);

CREATE TABLE key_canary (
  key_id text NOT NULL,
  sealed text NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT key_canary_pkey PRIMARY KEY (key_id)
);

CREATE TABLE audit_entry (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  operator_id uuid,
  app_id uuid,
  action text NOT NULL,
  subject text NOT NULL,
  change jsonb,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT audit_entry_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_entry_account_id_id_idx ON audit_entry (account_id, id);

ALTER TABLE api_key ADD CONSTRAINT api_key_account_id_fkey
    FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE app ADD CONSTRAINT app_account_id_fkey
    FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE audit_entry ADD CONSTRAINT audit_entry_account_id_fkey
    FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE device ADD CONSTRAINT device_user_sid_fkey
    FOREIGN KEY (user_sid) REFERENCES app_user(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE event ADD CONSTRAINT event_app_id_fkey
    FOREIGN KEY (app_id) REFERENCES app(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE event_version ADD CONSTRAINT event_version_event_id_fkey
    FOREIGN KEY (event_id) REFERENCES event(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE integration ADD CONSTRAINT integration_app_id_fkey
    FOREIGN KEY (app_id) REFERENCES app(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE invitation ADD CONSTRAINT invitation_account_id_fkey
    FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE operator ADD CONSTRAINT operator_account_id_fkey
    FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE operator_session ADD CONSTRAINT operator_session_operator_id_fkey
    FOREIGN KEY (operator_id) REFERENCES operator(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE resend_message ADD CONSTRAINT resend_message_resend_id_fkey
    FOREIGN KEY (resend_id) REFERENCES resend(id) ON UPDATE CASCADE ON DELETE CASCADE;

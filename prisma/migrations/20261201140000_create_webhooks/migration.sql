-- Webhooks of apps. docs/decisions/0028-webhooks.md has the reasons.

CREATE TABLE webhook_endpoint (
  id uuid NOT NULL,
  app_id uuid NOT NULL,
  url text NOT NULL,
  types text[] NOT NULL,
  description text DEFAULT '' NOT NULL,
  secrets text NOT NULL,
  previous_secret_ends_at timestamp(3) with time zone,
  disabled_at timestamp(3) with time zone,
  disabled_reason text,
  failures_in_row integer DEFAULT 0 NOT NULL,
  failing_since timestamp(3) with time zone,
  last_error text,
  circuit_open_until timestamp(3) with time zone,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT webhook_endpoint_pkey PRIMARY KEY (id)
);
CREATE INDEX webhook_endpoint_app_id_idx ON webhook_endpoint (app_id);

CREATE TABLE webhook_delivery (
  id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  app_id uuid NOT NULL,
  type text NOT NULL,
  message_id uuid,
  data jsonb NOT NULL,
  occurred_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  outcome text DEFAULT 'waiting' NOT NULL,
  next_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP,
  ends_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP + interval '72 hours' NOT NULL,
  failures integer DEFAULT 0 NOT NULL,
  tries jsonb DEFAULT '[]' NOT NULL,
  CONSTRAINT webhook_delivery_pkey PRIMARY KEY (id)
);
-- A message has one delivery per endpoint and state. Rows of other types have no message, and nulls are distinct.
CREATE UNIQUE INDEX webhook_delivery_endpoint_id_message_id_type_key ON webhook_delivery (endpoint_id, message_id, type);
CREATE INDEX webhook_delivery_endpoint_id_outcome_id_idx ON webhook_delivery (endpoint_id, outcome, id);
CREATE INDEX webhook_delivery_due_idx ON webhook_delivery (endpoint_id, next_at) WHERE outcome = 'waiting';
CREATE INDEX webhook_delivery_ends_at_idx ON webhook_delivery (ends_at) WHERE outcome = 'waiting';

CREATE TABLE webhook_completion (
  request_id uuid NOT NULL,
  app_id uuid NOT NULL,
  check_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT webhook_completion_pkey PRIMARY KEY (request_id)
);
CREATE INDEX webhook_completion_check_at_idx ON webhook_completion (check_at);

-- RFC 9562, section 5.7: a version 4 UUID whose first 48 bits are the time in milliseconds. PostgreSQL 18 has its own.
CREATE FUNCTION new_webhook_id() RETURNS uuid LANGUAGE sql AS $$
  SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid
$$;

-- Queues a delivery for each endpoint of the app that wants the type. event_data has ids and states, never an address or content.
CREATE FUNCTION queue_webhooks(app uuid, event_type text, message uuid, event_data jsonb) RETURNS void LANGUAGE sql AS $$
  INSERT INTO webhook_delivery (id, endpoint_id, app_id, type, message_id, data)
  SELECT new_webhook_id(), e.id, app, event_type, message, event_data FROM webhook_endpoint e
  WHERE e.app_id = app AND e.disabled_at IS NULL AND event_type = ANY (e.types)
  ON CONFLICT (endpoint_id, message_id, type) DO NOTHING
$$;

CREATE FUNCTION message_webhook_data(m message) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_strip_nulls(jsonb_build_object('request_id', m.request_id, 'item', m.item, 'message_id', m.id,
    'generation', m.generation, 'resend_of', m.resend_of, 'channel', m.channel, 'state', m.state, 'reason', m.reason,
    'attempts', m.attempts, 'possible_duplicate', m.unknown_count > 0))
$$;

-- Once per statement, because a worker claims and records many messages in one.
CREATE FUNCTION queue_message_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- All that an installation without endpoints pays.
  IF EXISTS (SELECT FROM webhook_endpoint) THEN
    INSERT INTO webhook_delivery (id, endpoint_id, app_id, type, message_id, data)
    SELECT new_webhook_id(), e.id, m.app_id, 'message.' || m.state, m.id, message_webhook_data(m)
    FROM old_rows o
    JOIN webhook_endpoint e ON e.app_id = o.app_id AND e.disabled_at IS NULL
    JOIN message m ON m.id = o.id AND m.state <> o.state
    WHERE m.state NOT IN ('queued', 'sending') AND 'message.' || m.state = ANY (e.types)
    ON CONFLICT (endpoint_id, message_id, type) DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER message_webhooks_on_update AFTER UPDATE ON message REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION queue_message_webhooks();

-- No statement inserts a message in a final state today.
CREATE FUNCTION queue_new_message_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM queue_webhooks(NEW.app_id, 'message.' || NEW.state, NEW.id, message_webhook_data(NEW));
  RETURN NULL;
END $$;
CREATE TRIGGER message_webhooks_on_insert AFTER INSERT ON message FOR EACH ROW
  WHEN (NEW.state NOT IN ('queued', 'sending')) EXECUTE FUNCTION queue_new_message_webhooks();

-- A channel that planning skips has no message. Its item has all such channels in one column.
CREATE FUNCTION queue_skip_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM queue_webhooks(r.app_id, 'message.skipped', NULL, jsonb_strip_nulls(jsonb_build_object(
    'request_id', NEW.request_id, 'item', NEW.item, 'channel', s.channel, 'state', 'skipped', 'reason', s.skip ->> 'reason')))
  FROM request r CROSS JOIN LATERAL jsonb_each(NEW.skips) s (channel, skip)
  WHERE r.id = NEW.request_id AND EXISTS (SELECT FROM webhook_endpoint e WHERE e.app_id = r.app_id);
  RETURN NULL;
END $$;
CREATE TRIGGER request_item_webhooks_on_insert AFTER INSERT ON request_item FOR EACH ROW
  WHEN (NEW.skips IS NOT NULL) EXECUTE FUNCTION queue_skip_webhooks();
CREATE TRIGGER request_item_webhooks_on_update AFTER UPDATE OF skips ON request_item FOR EACH ROW
  WHEN (OLD.skips IS NULL AND NEW.skips IS NOT NULL) EXECUTE FUNCTION queue_skip_webhooks();

-- A bulk is watched until it is complete, if an endpoint wants to know.
CREATE FUNCTION queue_webhook_completion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_completion (request_id, app_id) SELECT NEW.id, NEW.app_id WHERE EXISTS (
    SELECT FROM webhook_endpoint WHERE app_id = NEW.app_id AND disabled_at IS NULL AND 'request.completed' = ANY (types));
  RETURN NULL;
END $$;
CREATE TRIGGER request_webhooks AFTER INSERT ON request FOR EACH ROW
  WHEN (NEW.kind = 'bulk') EXECUTE FUNCTION queue_webhook_completion();

CREATE FUNCTION queue_device_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM queue_webhooks(NEW.app_id, 'device.disabled', NULL, jsonb_build_object('device_sid', NEW.id, 'reason', NEW.disabled_reason));
  RETURN NULL;
END $$;
-- A client that turns notifications off sets no reason.
CREATE TRIGGER device_webhooks AFTER UPDATE OF disabled_reason ON device FOR EACH ROW
  WHEN (NEW.notifications_disabled AND NEW.disabled_reason IS NOT NULL AND OLD.disabled_reason IS NULL)
  EXECUTE FUNCTION queue_device_webhooks();

CREATE FUNCTION queue_suppression_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM queue_webhooks(NEW.app_id, 'address.suppressed', NULL, jsonb_build_object(
    'suppression_id', NEW.id, 'channel', NEW.channel, 'reason', NEW.reason));
  RETURN NULL;
END $$;
CREATE TRIGGER suppression_webhooks AFTER INSERT ON suppression FOR EACH ROW EXECUTE FUNCTION queue_suppression_webhooks();

CREATE FUNCTION queue_integration_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM queue_webhooks(NEW.app_id, 'integration.needs_attention', NULL, jsonb_strip_nulls(jsonb_build_object(
    'integration_id', NEW.id, 'channel', NEW.channel, 'provider', NEW.provider, 'reason', NEW.state_reason)));
  RETURN NULL;
END $$;
CREATE TRIGGER integration_webhooks AFTER UPDATE OF state ON integration FOR EACH ROW
  WHEN (OLD.state IS DISTINCT FROM NEW.state AND NEW.state = 'needs_attention')
  EXECUTE FUNCTION queue_integration_webhooks();

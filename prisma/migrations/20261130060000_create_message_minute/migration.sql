CREATE TABLE message_minute (
  app_id uuid NOT NULL,
  channel text NOT NULL,
  minute timestamp(3) with time zone NOT NULL,
  waiting integer NOT NULL,
  sent integer NOT NULL,
  delivered integer NOT NULL,
  read integer NOT NULL,
  failed integer NOT NULL,
  skipped integer NOT NULL,
  unknown integer NOT NULL,
  failures jsonb DEFAULT '{}'::jsonb NOT NULL,
  latency jsonb DEFAULT '{}'::jsonb NOT NULL,
  CONSTRAINT message_minute_pkey PRIMARY KEY (app_id, minute, channel)
);
CREATE INDEX message_minute_minute_idx ON message_minute (minute);

CREATE TABLE counted_minute (
  minute timestamp(3) with time zone NOT NULL,
  counted_at timestamp(3) with time zone,
  recount_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT counted_minute_pkey PRIMARY KEY (minute)
);

-- The last reply of each person to each sender, so that a repeated or late call of a provider changes nothing.
-- docs/decisions/0032-replies.md has the reasons.

CREATE TABLE reply (
  app_id uuid NOT NULL,
  subject bytea NOT NULL,
  wish text NOT NULL,
  replied_at timestamp(3) with time zone NOT NULL,
  identities bytea[] NOT NULL,
  CONSTRAINT reply_pkey PRIMARY KEY (app_id, subject),
  CONSTRAINT reply_wish_check CHECK (wish IN ('stop', 'start'))
);

-- Secrets with which an app's backend signs the JWTs of its inbox readers. `id` is the `kid`. At most two are active.
CREATE TABLE inbox_secret (
  id uuid NOT NULL,
  app_id uuid NOT NULL,
  sealed text NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  revoked_at timestamp(3) with time zone,
  CONSTRAINT inbox_secret_pkey PRIMARY KEY (id)
);
CREATE INDEX inbox_secret_app_id_idx ON inbox_secret (app_id);

-- Whether front ends may sign with an API key (HMAC), as before.
ALTER TABLE app ADD COLUMN inbox_signature boolean DEFAULT true NOT NULL;

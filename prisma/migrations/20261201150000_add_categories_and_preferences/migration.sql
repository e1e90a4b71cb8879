-- Categories of an app, an index of users with opt-outs, and the scope and source of suppressions.
-- docs/decisions/0030-categories-and-preferences.md has the reasons.

CREATE TABLE category (
  app_id uuid NOT NULL,
  slug text NOT NULL,
  texts jsonb DEFAULT '{}' NOT NULL,
  position integer DEFAULT 0 NOT NULL,
  created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT category_pkey PRIMARY KEY (app_id, slug)
);

CREATE TABLE user_opt_out (
  app_id uuid NOT NULL,
  user_id text NOT NULL,
  CONSTRAINT user_opt_out_pkey PRIMARY KEY (app_id, user_id)
);

-- Whether a user's stored preferences switch anything off, at any level.
CREATE FUNCTION has_opt_out(contact jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_path_exists(contact, '$.preferences.**.disabled ? (@ == true)', '{}', true)
$$;

-- Keeps user_opt_out equal to the users with opt-outs, whatever statement writes them.
CREATE FUNCTION index_user_opt_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM user_opt_out WHERE app_id = OLD.app_id AND user_id = OLD.user_id;
  ELSIF has_opt_out(NEW.contact) THEN
    INSERT INTO user_opt_out (app_id, user_id) VALUES (NEW.app_id, NEW.user_id) ON CONFLICT DO NOTHING;
  ELSE
    DELETE FROM user_opt_out WHERE app_id = NEW.app_id AND user_id = NEW.user_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER user_opt_out_on_insert AFTER INSERT ON app_user FOR EACH ROW
  WHEN (has_opt_out(NEW.contact)) EXECUTE FUNCTION index_user_opt_out();
CREATE TRIGGER user_opt_out_on_update AFTER UPDATE OF contact ON app_user FOR EACH ROW
  WHEN (has_opt_out(OLD.contact) <> has_opt_out(NEW.contact)) EXECUTE FUNCTION index_user_opt_out();
CREATE TRIGGER user_opt_out_on_delete AFTER DELETE ON app_user FOR EACH ROW
  WHEN (has_opt_out(OLD.contact)) EXECUTE FUNCTION index_user_opt_out();
INSERT INTO user_opt_out (app_id, user_id)
  SELECT app_id, user_id FROM app_user WHERE has_opt_out(contact) ON CONFLICT DO NOTHING;

-- Suppressions of before stop everything, as they did.
ALTER TABLE suppression ADD COLUMN scope text DEFAULT 'all' NOT NULL,
  ADD COLUMN source text DEFAULT 'manual' NOT NULL,
  ADD CONSTRAINT suppression_scope_check CHECK (scope IN ('all', 'optional'));
UPDATE suppression SET source = CASE reason WHEN 'bounced' THEN 'bounce' ELSE 'unsubscribe' END WHERE reason <> 'manual';

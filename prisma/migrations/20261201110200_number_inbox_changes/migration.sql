-- Numbers the changes of each inbox. A reader's numbers only grow, in the order in which other transactions see the changes: the row
-- of the reader stays locked until the change is committed. Inserts and updates of items wait while this runs.
LOCK TABLE inbox_item IN SHARE ROW EXCLUSIVE MODE;

UPDATE inbox_item SET archived_at = coalesce(read_at, created_at) WHERE status = 'ARCHIVE' AND archived_at IS NULL;
UPDATE inbox_item SET read_at = NULL WHERE status = 'UNREAD' AND read_at IS NOT NULL;
UPDATE inbox_item SET seen_at = read_at WHERE seen_at IS NULL AND read_at IS NOT NULL;

CREATE FUNCTION number_inbox_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Gateways from before this migration write only the status.
  IF TG_OP = 'UPDATE' AND NEW.status <> OLD.status THEN
    NEW.archived_at := CASE WHEN NEW.status = 'ARCHIVE' THEN now() END;
    NEW.read_at := CASE NEW.status WHEN 'READ' THEN coalesce(NEW.read_at, now()) WHEN 'ARCHIVE' THEN NEW.read_at END;
    NEW.seen_at := coalesce(NEW.seen_at, NEW.read_at);
  END IF;
  NEW.status := CASE WHEN NEW.archived_at IS NOT NULL THEN 'ARCHIVE' WHEN NEW.read_at IS NOT NULL THEN 'READ' ELSE 'UNREAD' END;
  -- A reader starts at the time in milliseconds. One that is erased and comes back continues above its old numbers.
  INSERT INTO inbox_reader AS r (app_id, user_id, last_change)
  VALUES (NEW.app_id, NEW.user_id, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
  ON CONFLICT (app_id, user_id) DO UPDATE SET last_change =
    CASE WHEN r.last_change = 0 THEN excluded.last_change ELSE r.last_change + 1 END
  RETURNING r.last_change INTO NEW.changed;
  IF TG_OP = 'INSERT' THEN NEW.arrived := NEW.changed; END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER inbox_item_arrival BEFORE INSERT ON inbox_item FOR EACH ROW EXECUTE FUNCTION number_inbox_change();
CREATE TRIGGER inbox_item_change BEFORE UPDATE ON inbox_item FOR EACH ROW
  WHEN ((OLD.status, OLD.seen_at, OLD.read_at, OLD.archived_at) IS DISTINCT FROM (NEW.status, NEW.seen_at, NEW.read_at, NEW.archived_at))
  EXECUTE FUNCTION number_inbox_change();

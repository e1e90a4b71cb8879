-- Fills the new columns while old gateways run. The next migration repeats it for the rows that they change meanwhile.
UPDATE inbox_item SET archived_at = coalesce(read_at, created_at) WHERE status = 'ARCHIVE' AND archived_at IS NULL;
UPDATE inbox_item SET read_at = NULL WHERE status = 'UNREAD' AND read_at IS NOT NULL;
UPDATE inbox_item i SET seen_at = coalesce(i.read_at, r.last_opened_at)
FROM inbox_item s LEFT JOIN inbox_reader r ON r.app_id = s.app_id AND r.user_id = s.user_id AND r.last_opened_at >= s.created_at
WHERE i.id = s.id AND s.seen_at IS NULL AND (s.read_at IS NOT NULL OR r.last_opened_at IS NOT NULL);

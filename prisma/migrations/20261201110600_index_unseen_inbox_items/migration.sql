CREATE INDEX CONCURRENTLY inbox_item_unseen_idx ON inbox_item (app_id, user_id) WHERE seen_at IS NULL AND status <> 'ARCHIVE';

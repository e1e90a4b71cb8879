CREATE INDEX CONCURRENTLY inbox_item_shown_arrived_idx ON inbox_item (app_id, user_id, arrived, id) WHERE status <> 'ARCHIVE';

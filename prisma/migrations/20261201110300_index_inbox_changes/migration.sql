CREATE INDEX CONCURRENTLY inbox_item_app_id_user_id_changed_idx ON inbox_item (app_id, user_id, changed);

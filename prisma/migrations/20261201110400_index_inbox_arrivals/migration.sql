CREATE INDEX CONCURRENTLY inbox_item_app_id_user_id_arrived_id_idx ON inbox_item (app_id, user_id, arrived, id);

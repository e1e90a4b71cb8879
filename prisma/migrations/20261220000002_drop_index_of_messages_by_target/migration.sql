DROP INDEX CONCURRENTLY "message_app_id_target_request_id_idx";

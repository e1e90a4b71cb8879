-- Another one has taken its place.
DROP INDEX CONCURRENTLY "message_app_id_channel_state_request_id_idx";

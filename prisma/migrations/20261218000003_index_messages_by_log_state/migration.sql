-- As the index by state, but for what is open.
CREATE INDEX CONCURRENTLY "message_app_id_channel_log_state_request_id_idx" ON "message"("app_id", "channel", "log_state", "request_id");

-- The log of one state or channel, newest first.
CREATE INDEX CONCURRENTLY "message_app_id_channel_state_request_id_idx" ON "message"("app_id", "channel", "state", "request_id");

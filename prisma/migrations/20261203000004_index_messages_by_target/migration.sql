-- The log of one address, newest first.
CREATE INDEX CONCURRENTLY "message_app_id_target_request_id_idx" ON "message"("app_id", "target", "request_id");

-- Where a message went, in any spelling: search and erasure.
CREATE INDEX CONCURRENTLY "message_app_id_lower_target_request_id_idx" ON "message"("app_id", lower("target"), "request_id");

-- The log of one event, newest first.
CREATE INDEX CONCURRENTLY "request_app_id_event_id_id_idx" ON "request"("app_id", "event_id", "id");

-- What has a job is bounded, so what is asked of it looks at all of it. The order is that of the log, for what is being sent.
CREATE INDEX CONCURRENTLY "message_has_job_idx" ON "message"("channel", "app_id", "request_id") WHERE "has_job";

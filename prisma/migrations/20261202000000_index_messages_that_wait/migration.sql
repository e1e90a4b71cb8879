-- What waits for a job, by app: the relay serves channels, classes and apps in turn.
CREATE INDEX CONCURRENTLY "message_waiting_idx" ON "message"("channel", "is_bulk", "app_id", "due_at") WHERE "due_at" IS NOT NULL AND "job_id" IS NULL;

-- What waits for a job, by app: the relay serves channels, classes and apps in turn.
CREATE INDEX CONCURRENTLY "message_waiting_at_idx" ON "message"("channel", "is_bulk", "app_id", "waiting_at") WHERE "waiting_at" IS NOT NULL;

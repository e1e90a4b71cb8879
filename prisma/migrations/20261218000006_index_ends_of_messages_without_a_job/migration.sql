-- Ends of what waits.
CREATE INDEX CONCURRENTLY "message_waiting_end_idx" ON "message"("expires_at") WHERE "waiting_at" IS NOT NULL;

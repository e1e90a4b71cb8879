-- What ends while it waits: the relay expires it, also where no worker runs.
CREATE INDEX CONCURRENTLY "message_waiting_expires_at_idx" ON "message"("expires_at") WHERE "due_at" IS NOT NULL AND "job_id" IS NULL;

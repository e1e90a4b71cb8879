-- What has a job: in Redis, or being sent until its lease ends. A few thousand rows, however much waits.
CREATE INDEX CONCURRENTLY "message_with_job_idx" ON "message"("due_at") WHERE "due_at" IS NOT NULL AND "job_id" IS NOT NULL;

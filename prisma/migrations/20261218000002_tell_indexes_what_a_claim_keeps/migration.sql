-- What the indexes of messages are to know, none of which a claim changes: it writes to no index then. Writes the table once
-- more, and holds it meanwhile. Code of the version before runs on; its log and relay look through the table instead of an index.
-- A batch claims all rows of a page at once: half of it is left for their second version.
ALTER TABLE "message" SET (fillfactor = 50);
ALTER TABLE "message"
  ADD COLUMN "log_state" TEXT GENERATED ALWAYS AS (CASE WHEN state IN ('queued', 'sending') THEN 'open' ELSE state END) STORED,
  ADD COLUMN "has_job" BOOLEAN GENERATED ALWAYS AS (CASE WHEN due_at IS NOT NULL AND job_id IS NOT NULL THEN true END) STORED,
  ADD COLUMN "waiting_at" TIMESTAMPTZ(3) GENERATED ALWAYS AS (CASE WHEN job_id IS NULL THEN due_at END) STORED;

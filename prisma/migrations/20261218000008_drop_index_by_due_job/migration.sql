-- Another one has taken its place.
DROP INDEX CONCURRENTLY "message_with_job_idx";

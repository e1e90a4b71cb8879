-- Another one has taken its place.
DROP INDEX CONCURRENTLY "message_waiting_expires_at_idx";

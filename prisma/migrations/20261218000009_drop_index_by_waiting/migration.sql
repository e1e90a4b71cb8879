-- Another one has taken its place.
DROP INDEX CONCURRENTLY "message_waiting_idx";

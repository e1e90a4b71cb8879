-- Counts of a large request add its skipped channels, and the log searches them. Items without a skipped channel have no entry.
CREATE INDEX CONCURRENTLY request_item_skipped_idx ON request_item (request_id) WHERE skips IS NOT NULL;

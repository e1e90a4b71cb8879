-- Each row that was in it is in one of the two indexes above.
DROP INDEX CONCURRENTLY "message_channel_due_at_idx";

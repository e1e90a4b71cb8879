-- Finds the message that resent another one, and those to subtract from the counts of a large request. Only resends have an
-- entry, so a send costs nothing more.
CREATE INDEX CONCURRENTLY message_resend_idx ON message (request_id, item, channel) WHERE resend_of IS NOT NULL;

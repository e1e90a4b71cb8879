-- The log of one stored user, newest first. Only what names a user is parsed for it; our own JSON writes the name in one way.
CREATE INDEX CONCURRENTLY "request_item_named_user_idx" ON "request_item"(("recipient"::jsonb ->> 'user_id'), "request_id") WHERE "recipient" LIKE '%"user_id"%';

-- The log of one stored user, newest first; what is stored as recipient is the JSON of an object.
CREATE INDEX CONCURRENTLY "request_item_user_id_idx" ON "request_item"(("recipient"::jsonb ->> 'user_id'), "request_id") WHERE "recipient" IS NOT NULL;

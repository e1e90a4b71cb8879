-- The suppressions of an app in the order of their addresses, and those whose address begins so.
CREATE INDEX CONCURRENTLY "suppression_recipient_begins_idx" ON "suppression"("app_id", "recipient" text_pattern_ops);

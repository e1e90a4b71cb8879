-- The users of an app in order, and those whose user_id begins so.
CREATE INDEX CONCURRENTLY "app_user_user_id_begins_idx" ON "app_user"("app_id", "user_id" text_pattern_ops);

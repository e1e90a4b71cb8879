-- Users whose e-mail address begins so.
CREATE INDEX CONCURRENTLY "app_user_email_begins_idx" ON "app_user"("app_id", (lower("contact" ->> 'email')) text_pattern_ops) WHERE "contact" ->> 'email' IS NOT NULL;

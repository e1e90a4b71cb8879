-- Users whose mobile begins so, whatever stands between its digits.
CREATE INDEX CONCURRENTLY "app_user_mobile_begins_idx" ON "app_user"("app_id", (regexp_replace("contact" ->> 'mobile', '[^0-9+]', '', 'g')) text_pattern_ops) WHERE "contact" ->> 'mobile' IS NOT NULL;

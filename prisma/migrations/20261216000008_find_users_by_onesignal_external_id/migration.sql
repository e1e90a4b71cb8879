-- Users by their id in OneSignal.
CREATE INDEX CONCURRENTLY "app_user_onesignal_external_id_begins_idx" ON "app_user"("app_id", ("contact" ->> 'onesignal_external_id') text_pattern_ops) WHERE "contact" ->> 'onesignal_external_id' IS NOT NULL;

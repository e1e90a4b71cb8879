-- Users whose WhatsApp number begins so.
CREATE INDEX CONCURRENTLY "app_user_whatsapp_mobile_begins_idx" ON "app_user"("app_id", (regexp_replace("contact" ->> 'whatsapp_mobile', '[^0-9+]', '', 'g')) text_pattern_ops) WHERE "contact" ->> 'whatsapp_mobile' IS NOT NULL;

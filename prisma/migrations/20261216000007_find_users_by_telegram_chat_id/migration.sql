-- Users by their chat in Telegram.
CREATE INDEX CONCURRENTLY "app_user_telegram_chat_id_begins_idx" ON "app_user"("app_id", ("contact" #>> '{telegram,chat_id}') text_pattern_ops) WHERE "contact" #>> '{telegram,chat_id}' IS NOT NULL;

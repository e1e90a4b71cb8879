-- Users by their conversation in Slack.
CREATE INDEX CONCURRENTLY "app_user_slack_channel_id_begins_idx" ON "app_user"("app_id", ("contact" #>> '{slack,channel_id}') text_pattern_ops) WHERE "contact" #>> '{slack,channel_id}' IS NOT NULL;

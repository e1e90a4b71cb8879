-- Users by their e-mail address in Slack.
CREATE INDEX CONCURRENTLY "app_user_slack_email_begins_idx" ON "app_user"("app_id", (lower("contact" #>> '{slack,email}')) text_pattern_ops) WHERE "contact" #>> '{slack,email}' IS NOT NULL;

-- Subscriptions of an app are bound to one public key, so an app has one web push integration.
CREATE UNIQUE INDEX CONCURRENTLY integration_web_push_key ON integration (app_id) WHERE provider = 'web_push' AND deleted_at IS NULL;

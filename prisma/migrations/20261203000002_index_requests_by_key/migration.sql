-- The log finds a call by its idempotency key, also when the key's own row is gone.
CREATE INDEX CONCURRENTLY "request_app_id_idempotency_key_idx" ON "request"("app_id", "idempotency_key", "id") WHERE "idempotency_key" IS NOT NULL;

-- A token of 4,096 characters does not fit an index row, so the unique index holds its hash. The backslash is doubled because
-- the cast to bytea would read it as an escape.
DROP INDEX "device_app_id_fcm_token_key";
CREATE UNIQUE INDEX "device_app_id_fcm_token_key" ON "device"("app_id", sha256(replace("fcm_token", '\', '\\')::bytea));

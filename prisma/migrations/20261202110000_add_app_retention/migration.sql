-- How long the requests of an app are kept. Null uses RETENTION_DAYS. Old code inserts no value.
ALTER TABLE app ADD COLUMN retention_days integer;

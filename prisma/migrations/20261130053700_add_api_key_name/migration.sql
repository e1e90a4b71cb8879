-- Says who uses the key. Null for keys from before the column.
ALTER TABLE api_key ADD COLUMN name text;

-- When each credential was last entered: Unix milliseconds by name. Empty for credentials from before this column.
ALTER TABLE integration ADD COLUMN credential_changes jsonb NOT NULL DEFAULT '{}';

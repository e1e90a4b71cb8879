-- When the stored settings and credentials last passed a connection test. Saving them sets it to null.
ALTER TABLE integration ADD COLUMN tested_at timestamptz(3);

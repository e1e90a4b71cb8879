-- A report that a provider repeats, or that somebody replays, is stored once. Rows from before have no hash.
ALTER TABLE "receipt" ADD COLUMN "identity" BYTEA;

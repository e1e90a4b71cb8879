-- Times of each state of an inbox item, and the numbers of its arrival and its last change in the inbox of its reader.
-- Existing items have the number 0: readers load them as pages.
ALTER TABLE inbox_item
  ADD COLUMN seen_at timestamp(3) with time zone,
  ADD COLUMN archived_at timestamp(3) with time zone,
  ADD COLUMN arrived bigint DEFAULT 0 NOT NULL,
  ADD COLUMN changed bigint DEFAULT 0 NOT NULL;
ALTER TABLE inbox_reader
  ALTER COLUMN last_opened_at DROP NOT NULL,
  ADD COLUMN last_change bigint DEFAULT 0 NOT NULL;

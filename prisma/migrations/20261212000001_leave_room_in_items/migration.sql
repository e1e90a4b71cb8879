-- Fanout writes each item once more: with room on its page, no index is touched. Without, the table grew as much by the old rows.
ALTER TABLE "request_item" SET (fillfactor = 50);

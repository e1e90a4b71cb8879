-- Nothing wrote this table before this version, so its indexes need not be made concurrently. The first is for the count of
-- unread items and for "read all", however much a person has read; the second for the list, however much was archived.
CREATE INDEX "inbox_item_unread_idx" ON "inbox_item"("app_id", "user_id", "created_at") WHERE "status" = 'UNREAD';
CREATE INDEX "inbox_item_shown_idx" ON "inbox_item"("app_id", "user_id", "id") WHERE "status" <> 'ARCHIVE';

-- Items below this number are planned: fanout goes through them in order and writes the number, not each item. What has a
-- time at the item stays as it is.
ALTER TABLE "request" ADD COLUMN "planned_to" INTEGER NOT NULL DEFAULT 0;

-- A version that rolls back says to which one.
ALTER TABLE "event_version" ADD COLUMN "rolled_back_to" INTEGER;

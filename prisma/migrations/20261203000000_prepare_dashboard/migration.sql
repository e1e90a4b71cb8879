-- Who saved a draft last: two operators do not overwrite each other.
ALTER TABLE "event" ADD COLUMN "draft_revision" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "draft_saved_at" TIMESTAMPTZ(3),
  ADD COLUMN "draft_saved_by" UUID;

-- Channels of an app that an operator paused; the claim looks here.
CREATE TABLE "channel_pause" (
  "app_id" UUID NOT NULL,
  "channel" TEXT NOT NULL,
  "paused_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "paused_by" UUID,

  CONSTRAINT "channel_pause_pkey" PRIMARY KEY ("app_id", "channel")
);

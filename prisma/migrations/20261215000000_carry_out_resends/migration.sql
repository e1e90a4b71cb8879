-- A resend by filter names each of its messages from the start, so that a worker that is killed neither loses nor doubles
-- one. Nothing read or wrote the table before.
ALTER TABLE "resend" DROP COLUMN "cursor",
  ADD COLUMN "skipped" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "per_second" INTEGER NOT NULL DEFAULT 50,
  ADD COLUMN "next_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  ADD COLUMN "cancelled_by" UUID;

-- One at a time in an app; and what fanout looks for.
CREATE UNIQUE INDEX "resend_running_idx" ON "resend" ("app_id") WHERE "finished_at" IS NULL;

CREATE TABLE "resend_message" (
  "resend_id" UUID NOT NULL,
  "message_id" UUID NOT NULL,
  "state" TEXT NOT NULL,
  "outcome" TEXT,
  "new_message_id" UUID,

  CONSTRAINT "resend_message_pkey" PRIMARY KEY ("resend_id", "message_id")
);

ALTER TABLE "resend_message" ADD CONSTRAINT "resend_message_resend_id_fkey"
  FOREIGN KEY ("resend_id") REFERENCES "resend" ("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE INDEX "resend_message_pending_idx" ON "resend_message" ("resend_id", "message_id") WHERE "outcome" IS NULL;

-- All that an app sends is held up: a pause of each channel, which is not an own one where the channel was not paused by
-- itself. So whoever asks whether a channel is paused need know nothing of it.
CREATE TABLE "sending_pause" (
  "app_id" UUID NOT NULL,
  "paused_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "paused_by" UUID,

  CONSTRAINT "sending_pause_pkey" PRIMARY KEY ("app_id")
);

ALTER TABLE "channel_pause" ADD COLUMN "is_own" BOOLEAN NOT NULL DEFAULT true;

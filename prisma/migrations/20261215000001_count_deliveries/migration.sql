-- How many messages providers took, each half minute: for the rates of the dashboard, which may be lost with a crash.
CREATE UNLOGGED TABLE "delivery_count" (
  "app_id" UUID NOT NULL,
  "channel" TEXT NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "accepted" INTEGER NOT NULL,

  CONSTRAINT "delivery_count_pkey" PRIMARY KEY ("app_id", "at", "channel")
);

-- Who invited, so that what somebody handed out ends with their own access.
ALTER TABLE "invitation" ADD COLUMN "created_by" UUID;

-- A person is being erased: what is still to do, until nothing of them is in flight.
CREATE TABLE "erasure" (
  "id" UUID NOT NULL,
  "app_id" UUID NOT NULL,
  "user_sid" UUID NOT NULL,
  "user_id" TEXT,
  "addresses" JSONB,
  "messages" INTEGER NOT NULL DEFAULT 0,
  "created_by" UUID,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "finished_at" TIMESTAMPTZ(3),

  CONSTRAINT "erasure_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "erasure_app_id_id_idx" ON "erasure"("app_id", "id");
CREATE INDEX "erasure_unfinished_idx" ON "erasure"("id") WHERE "finished_at" IS NULL;

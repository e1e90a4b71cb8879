-- The bytes that each account stores, counted by the relay, and the limit of them. Null takes the setting's, 0 sets no limit.
ALTER TABLE "account" ADD COLUMN "storage_limit_bytes" BIGINT;
ALTER TABLE "account" ADD COLUMN "stored_bytes" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "account" ADD COLUMN "is_storage_full" BOOLEAN NOT NULL DEFAULT false;

-- What was stored from this time on, up to the next slice: bytes by account.
CREATE TABLE "storage_slice" (
  "from_at" TIMESTAMPTZ(3) NOT NULL,
  "bytes" JSONB NOT NULL DEFAULT '{}',
  "measured_at" TIMESTAMPTZ(3),

  CONSTRAINT "storage_slice_pkey" PRIMARY KEY ("from_at")
);

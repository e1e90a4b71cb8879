-- A text sealed with each key of the ring that ever sealed, so that a key that is missing is known by name.
CREATE TABLE "key_canary" (
  "key_id" TEXT NOT NULL,
  "sealed" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

  CONSTRAINT "key_canary_pkey" PRIMARY KEY ("key_id")
);

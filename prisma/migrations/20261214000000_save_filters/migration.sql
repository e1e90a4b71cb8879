-- Filters of an app's log that have a name. None names a person: what they hold is never an address.
CREATE TABLE "saved_filter" (
  "id" UUID NOT NULL,
  "app_id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  "filters" JSONB NOT NULL,
  "saved_by" UUID,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

  CONSTRAINT "saved_filter_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "saved_filter_app_id_name_key" ON "saved_filter"("app_id", lower("name"));

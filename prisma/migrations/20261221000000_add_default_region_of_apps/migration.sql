ALTER TABLE "app" ADD COLUMN "default_region" TEXT;
ALTER TABLE "app" ADD CONSTRAINT "app_default_region_check" CHECK ("default_region" ~ '^[A-Z]{2}$');

-- What an app reports of its notifications comes by no integration.
ALTER TABLE "receipt" ALTER COLUMN "integration_id" DROP NOT NULL;

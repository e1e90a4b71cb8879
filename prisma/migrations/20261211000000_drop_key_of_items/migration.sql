-- Both rows are written by one statement and removed by one transaction; looking the one up for the other took a tenth of an accept.
ALTER TABLE "request_item" DROP CONSTRAINT "request_item_request_id_fkey";

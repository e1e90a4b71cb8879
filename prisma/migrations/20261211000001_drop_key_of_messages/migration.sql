-- As for items. What writes a message later (fanout, a resend) locks the item or the request first.
ALTER TABLE "message" DROP CONSTRAINT "message_request_id_item_fkey";

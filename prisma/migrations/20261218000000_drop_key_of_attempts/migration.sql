-- An attempt is written by the statement that claims its message, and removed with it. The check was a tenth of a delivery.
ALTER TABLE "attempt" DROP CONSTRAINT "attempt_message_id_fkey";

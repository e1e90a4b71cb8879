-- Nothing asks for an attempt by it: a receipt knows its message.
DROP INDEX CONCURRENTLY "attempt_provider_message_id_idx";

-- It had a row for each recipient, also for those without a user.
DROP INDEX CONCURRENTLY "request_item_user_id_idx";

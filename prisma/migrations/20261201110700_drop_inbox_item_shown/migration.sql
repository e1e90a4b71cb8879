-- Pages are in order of arrival now.
DROP INDEX CONCURRENTLY inbox_item_shown_idx;

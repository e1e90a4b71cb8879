-- Fanout goes through a request's items in their order, by the primary key; this one only kept a plan from being written in place.
DROP INDEX CONCURRENTLY "request_item_unplanned_idx";

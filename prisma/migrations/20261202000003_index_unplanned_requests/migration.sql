-- Requests that fanout still has to plan.
CREATE INDEX CONCURRENTLY "request_unplanned_idx" ON "request"("id") WHERE "planned_items" < "items";

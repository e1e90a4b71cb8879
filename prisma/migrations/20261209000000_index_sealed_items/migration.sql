-- What sensitive events said, until it is dropped: a sealed text is a JSON string, what else is stored is an object.
CREATE INDEX CONCURRENTLY "request_item_sealed_idx" ON "request_item"("request_id", "item") WHERE starts_with("data", '"') OR starts_with("override", '"');

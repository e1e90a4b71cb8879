-- What stores a report once.
CREATE UNIQUE INDEX CONCURRENTLY "receipt_identity_key" ON "receipt"("identity");

-- The tables that every send writes. At the default, a fifth of a table may be dead before it is vacuumed: with millions of
-- rows that is an hour of load, and the indexes over what waits are walked through all that waited before.
ALTER TABLE "message" SET (
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 2000,
  autovacuum_vacuum_cost_delay = 1);
ALTER TABLE "attempt" SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 2000);
ALTER TABLE "request" SET (
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 2000);
ALTER TABLE "request_item" SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 2000);
ALTER TABLE "idempotency_key" SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 2000);

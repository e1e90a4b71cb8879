-- Nobody read it. The heartbeats of older workers fail until they are replaced; their work goes on.
ALTER TABLE "worker_heartbeat" DROP COLUMN "progress_at";

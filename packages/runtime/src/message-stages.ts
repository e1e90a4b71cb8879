import { Histogram, type Registry } from 'prom-client';

/**
 * The stages of a message from its call to its result, in order. Each is measured within one process, except `queue`: it is
 * the worker's clock minus the clock of the process that added the job.
 */
export const messageStages = {
  receive: 'authentication, body, checks and idempotency lock of a single send',
  commit:
    'planning a single send, waiting for the batch before, and the commit; the answer follows',
  relay: 'from the due time until the relay adds the job; only messages that no gateway enqueued',
  queue: 'from adding the job to Redis until a worker takes it',
  slot: 'waiting for a slot, a token of the rate limit, and a connection',
  claim: 'waiting for the batch before, and the claim in PostgreSQL',
  compose: 'from the claim to the call: integration, template, files, access token',
  call: 'the call of the provider, until its answer',
  record: 'waiting for the batch before, and storing the result',
};

export type MessageStage = keyof typeof messageStages;

export type ObserveStage = (stage: MessageStage, ms: number) => void;

const msPerSecond = 1_000;
/** Finer than those of requests below 100 ms, because a message passes eight stages. */
const bucketsSeconds = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 5, 10, 30, 60,
];

export function createObserveStage(registry: Registry): ObserveStage {
  const histogram = new Histogram({
    name: 'belfry_message_stage_seconds',
    help: 'Time of a message in each stage.',
    labelNames: ['stage'],
    buckets: bucketsSeconds,
    registers: [registry],
  });
  const byStage = new Map(
    Object.keys(messageStages).map((stage) => [stage, histogram.labels(stage)]),
  );
  // Clocks of two machines may differ, and a time is never negative.
  return (stage, ms) => byStage.get(stage)?.observe(Math.max(0, ms) / msPerSecond);
}

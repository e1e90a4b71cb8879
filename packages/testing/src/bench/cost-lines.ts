import { createCommandCounter } from '../command-counter';
import { createStatementCounter } from '../statement-counter';
import {
  type BenchContext,
  callHeaders,
  emptyStores,
  sendBody,
  sendPath,
  waitForPublishedCapacity,
  wideWindows,
} from './bench-context';
import { queueBacklog, waitUntilDelivered, writeDeliveryBacklog } from './delivery-backlog';
import { round } from './statistics';

export type StoreCosts = {
  of: number;
  statements: number;
  redisCommands: number;
  redisWrites: number;
};

/** The line (h): statements, commands and bytes in the stores per request and per message. */
export async function measureCosts(context: BenchContext) {
  context.onProgress('cost of a request and a message in the stores');
  return {
    requests: await countRequests(context),
    messages: await countMessages(context),
    bytes: await measureBytes(context),
  };
}

const connections = 64;

/** Statements and commands of a gateway for each keyed send. A statement is one round trip. */
async function countRequests(context: BenchContext): Promise<StoreCosts> {
  const counters = await startCounters(context);
  const relay = await context.world.startWorker('relay', { env: wideWindows });
  const gateway = await context.world.startGateway(counters.urls);
  try {
    await emptyStores(context);
    await waitForPublishedCapacity(context);
    // Warm up the look-ups and the first statements.
    await load(context, gateway.url, 500);
    let calls = 0;
    return await counters.count(async () => {
      calls = await load(context, gateway.url, 2_000);
      return calls;
    });
  } finally {
    await Promise.all([gateway.stop(), relay.stop()]);
    await counters.close();
  }
}

async function load(context: BenchContext, url: string, durationMs: number): Promise<number> {
  const { calls, nextNumber } = await context.world.load.run({
    targets: [
      {
        url: sendPath(context, url),
        headers: callHeaders(context, true),
        body: sendBody(context.world.events.sms[0].name),
      },
    ],
    connections,
    durationMs,
    firstNumber: context.numbers.next,
  });
  context.numbers.next = nextNumber;
  return calls;
}

const countedMessages = 5_000;

/** Statements and commands of a worker for each message. */
async function countMessages(context: BenchContext): Promise<StoreCosts> {
  const counters = await startCounters(context);
  const worker = await context.world.startWorker('deliver-sms', {
    ...counters.urls,
    isProviderInside: true,
    env: { MESSAGES_IN_FLIGHT: '200' },
  });
  try {
    await emptyStores(context);
    const backlog = await writeDeliveryBacklog(context, countedMessages);
    return await counters.count(async () => {
      await queueBacklog(context, backlog);
      await waitUntilDelivered(context, 60_000);
      return countedMessages;
    });
  } finally {
    await worker.stop();
    await counters.close();
  }
}

async function startCounters({ world }: BenchContext) {
  const statements = await createStatementCounter(world.databaseUrl);
  const commands = await createCommandCounter(world.redisUrl);
  return {
    urls: { databaseUrl: statements.url, redisUrl: commands.url },
    /** `work` returns the divisor. */
    async count(work: () => Promise<number>): Promise<StoreCosts> {
      let total = 0;
      let queries: string[] = [];
      const { commands: sentCommands, writes } = await commands.during(async () => {
        queries = await statements.during(async () => {
          total = await work();
        });
      });
      return {
        of: total,
        statements: round(queries.length / total),
        redisCommands: round(sentCommands.length / total),
        redisWrites: round(writes / total),
      };
    },
    async close() {
      await commands.close();
      await statements.close();
    },
  };
}

const storedMessages = 10_000;

/** Bytes of a message while it waits, and of its rows after it was sent. */
export async function measureBytes(context: BenchContext) {
  await emptyStores(context);
  const emptyRedis = await redisBytes(context);
  const backlog = await writeDeliveryBacklog(context, storedMessages);
  await queueBacklog(context, backlog);
  const redisPerWaitingMessage = ((await redisBytes(context)) - emptyRedis) / storedMessages;
  const waiting = await postgresBytes(context);
  const worker = await context.world.startWorker('deliver-sms', { isProviderInside: true });
  await waitUntilDelivered(context, 60_000).finally(() => worker.stop());
  return {
    redisPerWaitingMessage: round(redisPerWaitingMessage),
    postgresPerWaitingMessage: round(waiting / storedMessages),
    postgresPerSentMessage: round((await postgresBytes(context)) / storedMessages),
  };
}

async function redisBytes({ world }: BenchContext): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await world.redis.info('memory'))?.[1]);
}

/** Bytes of everything that one request writes, including indexes. */
async function postgresBytes({ world }: BenchContext): Promise<number> {
  const { rows } = await world.database.delivery.query<{ bytes: number }>(
    `SELECT sum(pg_total_relation_size(name::regclass))::float8 AS bytes
     FROM unnest(ARRAY['request', 'request_item', 'message', 'attempt']) name`,
  );
  return rows[0]?.bytes ?? 0;
}

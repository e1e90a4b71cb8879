import path from 'node:path';
import { type BenchContext, type CpuCosts, emptyStores, withCosts } from './bench-context';
import { writeDeliveryBacklog } from './delivery-backlog';
import { computeSpread, round, type Spread } from './statistics';

const copiedMessages = 50_000;
/** Rows that a busy machine inserts well within the statement timeout. */
const messagesPerStatement = 5_000;
const pipelinedCommands = 50_000;
const commandsPerPipeline = 1_000;
const rounds = 3;

/** The maximum rates of the stores alone: upper limits for any design. */
export async function measureLimits(context: BenchContext): Promise<{
  copyRowsPerSecond: Spread;
  copyIndexedRowsPerSecond: Spread;
  copyIndexedPostgresUs: Spread;
  redisCommandsPerSecond: Spread;
}> {
  context.onProgress('limits of the stores');
  await emptyStores(context);
  for (
    let writtenMessages = 0;
    writtenMessages < copiedMessages;
    writtenMessages += messagesPerStatement
  ) {
    await writeDeliveryBacklog(context, messagesPerStatement);
  }
  const plain: number[] = [];
  const indexed: number[] = [];
  const indexedUs: number[] = [];
  const piped: number[] = [];
  for (let index = 0; index < rounds; index += 1) {
    context.signal.throwIfAborted();
    plain.push((await copy(context, '')).rowsPerSecond);
    const { rowsPerSecond, cpuUs } = await copy(context, 'INCLUDING INDEXES');
    indexed.push(rowsPerSecond);
    indexedUs.push(cpuUs['postgres'] ?? Number.NaN);
    piped.push(await pipeline(context));
  }
  await emptyStores(context);
  return {
    copyRowsPerSecond: computeSpread(plain),
    copyIndexedRowsPerSecond: computeSpread(indexed),
    copyIndexedPostgresUs: computeSpread(indexedUs),
    redisCommandsPerSecond: computeSpread(piped),
  };
}

/** Copies the rows of messages from a file on the server into a table of the same structure. */
async function copy(
  context: BenchContext,
  like: string,
): Promise<{ rowsPerSecond: number } & CpuCosts> {
  const { world } = context;
  const client = await world.database.delivery.connect();
  try {
    await client.query(
      `CREATE TABLE copied_message (LIKE message INCLUDING DEFAULTS INCLUDING GENERATED ${like})`,
    );
    const file = client.escapeLiteral(path.join(world.postgresFolder, 'bench.copy'));
    await client.query(`COPY message TO ${file} (FORMAT binary)`);
    const beganAtMs = performance.now();
    return await withCosts(context, { pids: {}, count: () => copiedMessages }, async () => {
      await client.query(`COPY copied_message FROM ${file} (FORMAT binary)`);
      return {
        rowsPerSecond: round(copiedMessages / ((performance.now() - beganAtMs) / 1_000)),
      };
    });
  } finally {
    await client.query('DROP TABLE IF EXISTS copied_message').finally(() => client.release());
  }
}

async function pipeline({ world }: BenchContext): Promise<number> {
  const value = 'x'.repeat(100);
  const beganAtMs = performance.now();
  for (let from = 0; from < pipelinedCommands; from += commandsPerPipeline) {
    const commands = world.redis.pipeline();
    for (let index = 0; index < commandsPerPipeline; index += 1) {
      commands.set(`bench-limit:${index}`, value);
    }
    await commands.exec();
  }
  return round(pipelinedCommands / ((performance.now() - beganAtMs) / 1_000));
}

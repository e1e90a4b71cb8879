import path from 'node:path';
import { migrate } from '@belfry/database';
import { createDatabase } from '@belfry/embedded';
import pg from 'pg';
import { repositoryRoot } from '../test-stores';
import {
  type BenchContext,
  type BenchLine,
  callHeaders,
  emptyStores,
  getRoundsOptions,
  listCpu,
  sendBody,
  sendPath,
  summarizeLines,
  waitForPublishedCapacity,
  wideWindows,
  withCosts,
} from './bench-context';
import type { LoadTarget } from './load-types';
import { type BenchMember, startPart } from './members';
import { createSeries, runRounds, type Series } from './rounds';
import { computeRatio } from './statistics';

export const acceptNames = {
  hello: 'node:http that answers at once',
  plain: '(a) Express 5 that awaits one queue.add',
  proto: '(b) the same with the prototype change',
  send: '(c) events/send without a key',
  keyed: '(c) events/send with a key',
  byHand: '(d) a keyed send by hand with Express 5 and Prisma',
  three: '(c) with a key, 3 channels',
  all: '(c) with a key, all 8 channels',
} as const;

export type AcceptName = keyof typeof acceptNames;

/** The servers that are compared. */
export type AcceptServers = {
  targets: Record<AcceptName, { pid: number; targets: LoadTarget[] }>;
  close(): Promise<void>;
};

export async function startAcceptServers(context: BenchContext): Promise<AcceptServers> {
  const { world } = context;
  const queueUrl = `${world.redisUrl}/1`;
  const members: BenchMember[] = [];
  const add = async <T extends BenchMember>(starting: Promise<T>): Promise<T> => {
    const member = await starting;
    members.push(member);
    return member;
  };
  await add(world.startWorker('relay', { env: wideWindows }));
  const gateway = await add(world.startGateway());
  const hello = await add(startPart('hello', 'baseline-main.js', ['hello']));
  const plain = await add(startPart('plain', 'baseline-main.js', ['plain', queueUrl]));
  const proto = await add(startPart('proto', 'baseline-main.js', ['proto', queueUrl]));
  const byHandArgs = [await createByHandDatabase(context), queueUrl, world.tenant.appId];
  const byHand = await add(startPart('by hand', 'by-hand-main.js', byHandArgs));
  const headers = callHeaders(context, true);
  const baseline = ({ pid, url }: BenchMember) => ({
    pid,
    targets: [{ url: `${url}/send`, headers, body: sendBody('order_shipped') }],
  });
  const ours = (event: string, isKeyed: boolean, user?: Record<string, unknown>) => ({
    pid: gateway.pid,
    targets: [
      {
        url: sendPath(context, gateway.url),
        headers: callHeaders(context, isKeyed),
        body: sendBody(event, user),
      },
    ],
  });
  const { sms, three, all } = world.events;
  return {
    targets: {
      hello: baseline(hello),
      plain: baseline(plain),
      proto: baseline(proto),
      byHand: baseline(byHand),
      send: ours(sms[0].name, false),
      keyed: ours(sms[0].name, true),
      three: ours(three.name, true, reachableUser),
      all: ours(all.name, true, reachableUser),
    },
    async close() {
      await Promise.all(members.map((member) => member.stop()));
    },
  };
}

/** A database of its own with only the indexes that (d) needs: it has no log to search, no plan and no relay. */
async function createByHandDatabase({ world }: BenchContext): Promise<string> {
  await createDatabase(world.databaseUrl, 'by_hand');
  const url = new URL(world.databaseUrl);
  url.pathname = '/by_hand';
  await migrate(url.href, path.join(repositoryRoot, 'prisma', 'migrations'));
  const client = new pg.Client(url.href);
  await client.connect();
  await client.query(withoutOurIndexes).finally(() => client.end());
  return url.href;
}

const withoutOurIndexes = `
DO $$ DECLARE each record; BEGIN
  FOR each IN SELECT indexrelid::regclass AS name FROM pg_index
    WHERE indrelid IN ('request'::regclass, 'message'::regclass) AND NOT indisprimary
  LOOP EXECUTE format('DROP INDEX %s', each.name); END LOOP;
  FOR each IN SELECT tgname, tgrelid::regclass AS owner FROM pg_trigger
    WHERE tgrelid IN ('request'::regclass, 'message'::regclass) AND NOT tgisinternal
  LOOP EXECUTE format('DROP TRIGGER %I ON %s', each.tgname, each.owner); END LOOP;
END $$;
CREATE INDEX ON message (request_id);
CREATE INDEX ON message (state, due_at);`;

/** A recipient with an address on every channel but push, which needs a stored device and is skipped. */
const reachableUser = {
  user_id: 'person-1',
  mobile: '+12025550123',
  email: 'ana@example.com',
  whatsapp_mobile: '+12025550123',
  slack: { channel_id: 'C012345678' },
  telegram: { chat_id: '123456789' },
  onesignal_external_id: 'person-1',
};

type AcceptOptions = {
  names: readonly AcceptName[];
  connections: number;
  sliceMs: number;
};

/** One slice of each server, in the order of `names`. */
async function acceptRound(
  context: BenchContext,
  servers: AcceptServers,
  { names, connections, sliceMs }: AcceptOptions,
): Promise<Map<AcceptName, Record<string, number>>> {
  const figures = new Map<AcceptName, Record<string, number>>();
  for (const name of names) {
    context.signal.throwIfAborted();
    // The jobs of a quick round fit in the windows, and emptying takes as long as a slice.
    if (!context.isQuick || name === names[0]) {
      await emptyStores(context);
      await waitForPublishedCapacity(context);
    }
    const { pid, targets } = servers.targets[name];
    const result = await withCosts(
      context,
      { pids: { node: [pid] }, count: ({ calls }) => calls },
      () =>
        context.world.load.run({
          targets,
          connections,
          durationMs: sliceMs,
          firstNumber: context.numbers.next,
        }),
    );
    context.numbers.next = result.nextNumber;
    if (result.failedCalls > 0) {
      throw new Error(`${name} refused ${result.failedCalls} of ${result.calls} calls`);
    }
    figures.set(name, {
      perSecond: result.perSecond,
      p50Ms: result.p50Ms,
      p99Ms: result.p99Ms,
      ...listCpu(result.cpuUs),
      loadCpuUs: result.cpuUs['load'] ?? 0,
    });
  }
  return figures;
}

const connections = 64;

/** The lines (a), (b) and (c): calls per second, and latency. */
export async function measureAccept(context: BenchContext, servers: AcceptServers) {
  const names: AcceptName[] = [
    'hello',
    'plain',
    'proto',
    'send',
    'keyed',
    'byHand',
    'three',
    'all',
  ];
  const series = createSeries();
  const warm = { names, connections, sliceMs: context.isQuick ? 1_500 : 8_000 };
  context.onProgress('accepting: warming up');
  await acceptRound(context, servers, warm);
  const sliceMs = context.isQuick ? 700 : 3_000;
  await runRounds(
    getRoundsOptions(context, { quickMs: 60_000, fullMs: 300_000 }),
    async (index) => {
      context.onProgress(`accepting: round ${index + 1}`);
      // Every other round runs in reverse, so that the same server does not always precede another.
      const order = index % 2 === 0 ? names : names.toReversed();
      const figures = await acceptRound(context, servers, { names: order, connections, sliceMs });
      for (const name of names) series.add(name, figures.get(name) ?? {});
    },
  );
  return { connections, lines: summarizeLines(series), ratios: computeRatios(series) };
}

/** Fewer rounds: these lines are not compared round by round. */
const few = { rounds: 3, leastRounds: 1, budgetMs: 45_000 };

/** The line (g): fewer and more connections. */
export async function measureConnections(
  context: BenchContext,
  servers: AcceptServers,
): Promise<BenchLine[]> {
  const series = createSeries();
  const names: AcceptName[] = ['plain', 'proto', 'send', 'keyed', 'byHand'];
  for (const count of [1, 16, 256]) {
    await runRounds({ ...few, signal: context.signal }, async (index) => {
      context.onProgress(`${count} connections: round ${index + 1}`);
      const figures = await acceptRound(context, servers, {
        names,
        connections: count,
        sliceMs: 3_000,
      });
      for (const name of names) {
        series.add(`${acceptNames[name]}, ${count} connections`, figures.get(name) ?? {});
      }
    });
  }
  return summarizeLines(series);
}

function computeRatios(series: Series) {
  const ratio = (name: AcceptName, base: AcceptName) =>
    computeRatio(series.getValues(name, 'perSecond'), series.getValues(base, 'perSecond'));
  return {
    send_vs_naive: ratio('send', 'plain'),
    send_vs_naive_fast: ratio('send', 'proto'),
    send_keyed_vs_naive: ratio('keyed', 'plain'),
    send_keyed_vs_naive_fast: ratio('keyed', 'proto'),
    send_keyed_vs_by_hand: ratio('keyed', 'byHand'),
    keyed_p99_vs_naive: computeRatio(
      series.getValues('keyed', 'p99Ms'),
      series.getValues('plain', 'p99Ms'),
    ),
    keyed_p99_vs_naive_fast: computeRatio(
      series.getValues('keyed', 'p99Ms'),
      series.getValues('proto', 'p99Ms'),
    ),
  };
}

import type { Database } from '@belfry/database';
import { createSetUpToken } from '../browser';
import { type BenchContext, waitForPublishedCapacity } from './bench-context';
import type { BenchMember } from './members';
import { listPageCalls, listPickedNumbers, type PageCall, type StoredTexts } from './page-calls';
import { computeQuantile, round } from './statistics';
import { fillPages, type StoredPages } from './stored-pages';
import { startWholeSystem, systemTargets } from './system-lines';

const fullMessages = 5_000_000;
const quickMessages = 200_000;
const callsOfKind = 40;
/** The first calls compile code and open connections. */
const warmUpCalls = 3;
const loadPerSecond = 200;
const loadConnections = 8;
const loadSliceMs = 2_000;
const cursors = 20;

/** Milliseconds at the client, on loopback. */
export type PageTimes = { p50Ms: number; p95Ms: number; longestMs: number };

export type PagesResult = {
  messages: number;
  loadPerSecond: number;
  /** By page and filter. */
  pages: Record<string, PageTimes>;
};

/** The time of each page's route at 5,000,000 messages, beside 200 sends per second that are accepted and delivered. */
export async function measurePages(context: BenchContext): Promise<PagesResult> {
  const messages = context.isQuick ? quickMessages : fullMessages;
  const stored = await fillPages(context, messages);
  const system = await startWholeSystem(context, { gateways: 1, workers: 1 });
  const dashboard = await context.world.startDashboard();
  try {
    const call = await signIn(context, dashboard.url);
    const texts = {
      ...(await readStoredTexts(context.world.database, stored)),
      cursors: await readCursors(`/api/apps/${stored.ids.appIds[0]}/log`, call),
    };
    await waitForPublishedCapacity(context);
    const load = startLoad(context, system.gateways);
    const pages: PagesResult['pages'] = {};
    for (const kind of listPageCalls(stored, texts)) {
      context.onProgress(`pages: ${kind.name}`);
      pages[kind.name] = await measureKind(context, kind, call);
    }
    await load.stop();
    return { messages, loadPerSecond, pages };
  } finally {
    await dashboard.stop();
    await system.stop();
  }
}

/** Calls a route and reads the whole answer. */
type Call = (path: string) => Promise<{ ms: number; body: string }>;

async function measureKind(
  { signal }: BenchContext,
  { build }: PageCall,
  call: Call,
): Promise<PageTimes> {
  const times: number[] = [];
  for (let number = 0; number < warmUpCalls + callsOfKind; number += 1) {
    signal.throwIfAborted();
    const { ms } = await call(build(number));
    if (number >= warmUpCalls) times.push(ms);
  }
  times.sort((a, b) => a - b);
  return {
    p50Ms: round(computeQuantile(times, 0.5)),
    p95Ms: round(computeQuantile(times, 0.95)),
    longestMs: round(computeQuantile(times, 1)),
  };
}

async function signIn({ world }: BenchContext, url: string): Promise<Call> {
  const token = await createSetUpToken(world.database, world.tenant.accountId);
  const email = `bench-${Date.now()}@example.com`;
  const answer = await fetch(`${url}/api/set-up`, {
    method: 'POST',
    headers: { Origin: url, 'Content-Type': 'application/json' },
    body: JSON.stringify({ token, email, password: 'a sentence for the bench' }),
  });
  if (!answer.ok) throw new Error(`Set-up was refused: ${await answer.text()}`);
  const Cookie = answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
  return async function call(path) {
    const beganAtMs = performance.now();
    const response = await fetch(`${url}${path}`, { headers: { Cookie } });
    const body = await response.text();
    const ms = performance.now() - beganAtMs;
    if (!response.ok) throw new Error(`${path}: ${response.status} ${body}`);
    return { ms, body };
  };
}

/** Finds what calls refer to. */
export async function readStoredTexts(
  { lookUps }: Pick<Database, 'lookUps'>,
  { ids, shape }: Pick<StoredPages, 'ids' | 'shape'>,
): Promise<Omit<StoredTexts, 'cursors'>> {
  const [appId] = ids.appIds;
  const numbers = listPickedNumbers(shape);
  const { rows: singles } = await lookUps.query<StoredTexts['singles'][number]>(
    `SELECT r.id AS "requestId", m.id AS "messageId", substr(i.recipient::jsonb ->> 'user_id', 6)::int AS user,
       substr(r.idempotency_key, 5)::int AS number
     FROM unnest($2::text[]) k (key) JOIN request r ON r.app_id = $1 AND r.idempotency_key = k.key
     JOIN request_item i ON i.request_id = r.id
     CROSS JOIN LATERAL (SELECT id FROM message WHERE request_id = r.id LIMIT 1) m`,
    [appId, numbers.map((number) => `key-${number}`)],
  );
  const { rows: users } = await lookUps.query<{ sid: string; userId: string }>(
    `SELECT id AS sid, user_id AS "userId" FROM app_user WHERE app_id = $1 AND user_id = ANY ($2)`,
    [appId, ['user-0', ...singles.map(({ user }) => `user-${user}`)]],
  );
  return {
    singles,
    userSids: users.map(({ sid }) => sid),
    frequentUserSid: users.find(({ userId }) => userId === 'user-0')?.sid ?? '',
  };
}

async function readCursors(path: string, call: Call): Promise<string[]> {
  const read: string[] = [];
  for (let page = 0; page < cursors; page += 1) {
    const last = read.at(-1);
    const { body } = await call(last ? `${path}?cursor=${last}` : path);
    const { next } = JSON.parse(body) as { next: string | null };
    if (next !== null) read.push(next);
  }
  return read;
}

/** Sends until it is stopped. */
function startLoad(context: BenchContext, gateways: BenchMember[]) {
  let isStopped = false;
  async function send(): Promise<void> {
    while (!isStopped && !context.signal.aborted) {
      const result = await context.world.load.run({
        targets: systemTargets(context, gateways),
        connections: loadConnections,
        durationMs: loadSliceMs,
        perSecond: loadPerSecond,
        firstNumber: context.numbers.next,
      });
      context.numbers.next = result.nextNumber;
      if (result.failedCalls > 0) throw new Error(`${result.failedCalls} sends failed`);
    }
  }
  const sending = send();
  // A rejection is reported by stop; until then it must not end the process.
  sending.catch(() => undefined);
  return {
    stop: () => {
      isStopped = true;
      return sending;
    },
  };
}

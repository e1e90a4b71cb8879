import { randomInt } from 'node:crypto';
import { buildReceiptUrl, newId } from '@belfry/runtime';
import {
  channelVersion,
  eventually,
  isFullRun,
  readRunSeed,
  type System,
  startSystem,
  type Tenant,
  testSecrets,
} from '@belfry/testing';
import fc from 'fast-check';
import { callRaw } from '../src/attacks/http-call';
import type { Schema } from './hostile/bodies';
import { type Call, type CallsOptions, createCalls, type Operation } from './hostile/calls';
import { createExchange } from './hostile/exchange';
import { giants, liveEventMark } from './hostile/giants';
import { createRawCalls } from './hostile/raw-calls';
import { createLedger, enter, findProblem } from './hostile/verdict';

const isFull = isFullRun();
const callCount = isFull ? 20_000 : 1_000;
/** Concurrent callers. */
const streamCount = 10;
const callsTimeoutMs = 240_000;
const triesAlone = 3;
/** The gateway's goal is 100 ms, which holds on a quiet machine. */
const heldOnBusyMs = 300;
const maxSuspects = isFull ? 500 : 250;
const seed = readRunSeed(1);

let system: System;
let tenant: Tenant;
let other: Tenant;
let operations: Operation[];
let caller: ReturnType<typeof createExchange>;
let liveEvent: string;
let receipts: CallsOptions['receipts'];
const ledger = createLedger();

beforeAll(async () => {
  system = await startSystem({
    workers: [],
    env: { LOOKUP_CACHE_MS: '5000', MAX_BODIES_IN_MEMORY_BYTES: '200000000' },
  });
  [tenant, other] = await Promise.all([
    system.factories.createTenant(),
    system.factories.createTenant(),
  ]);
  const { name } = await system.factories.createEvent(tenant, {
    email: channelVersion({ subject: '{{name}}', text: '{{name}}' }),
    sms: channelVersion({ text: '{{name}}' }),
    in_app: channelVersion({ title: '{{name}}', body: 'x' }),
  });
  liveEvent = name;
  receipts = await createReceiptAddress();
  caller = createExchange(system.apiUrl, streamCount);
  operations = await readOperations();
}, 120_000);

afterAll(async () => {
  caller?.close();
  if (tenant) await removeRows();
  await system?.stop();
}, 120_000);

/** Every route that takes JSON, with the schema that validates it. */
async function readOperations(): Promise<Operation[]> {
  const response = await fetch(new URL('/openapi.json', system.apiUrl));
  // Our own document. Another test checks that it matches the schemas.
  const document = (await response.json()) as {
    paths: Record<
      string,
      Record<string, { operationId: string; requestBody?: unknown; security?: unknown }>
    >;
    components: { schemas: Record<string, Schema> };
  };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, requestBody, security }]) => {
      const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Body`;
      const body = requestBody ? document.components.schemas[name] : undefined;
      return { method, path, isSigned: security !== undefined, ...(body ? { body } : {}) };
    }),
  );
}

/** The URL to which Meta reports about an integration. */
async function createReceiptAddress(): Promise<CallsOptions['receipts']> {
  const secrets = { appSecret: newId(), verifyToken: newId() };
  const { id } = await system.factories.createIntegration(tenant, {
    channel: 'whatsapp',
    provider: 'meta',
    settings: { sender: '106540352242922', graph_version: 'v23.0' },
    credentials: {
      access_token: newId(),
      app_secret: secrets.appSecret,
      verify_token: secrets.verifyToken,
    },
  });
  const url = buildReceiptUrl({
    publicUrl: system.apiUrl,
    secrets: testSecrets(),
    integrationId: id,
  });
  return { path: new URL(url).pathname, ...secrets };
}

/** Inbox items of a user; bodies that name their messages are built from them. */
async function createItems() {
  const messages = [newId(), newId(), newId()];
  await system.database.prisma.inboxItem.createMany({
    data: messages.map((messageId) => ({
      id: newId(),
      appId: tenant.appId,
      userId: 'u1',
      messageId,
      content: { title: 'Hello', body: '', data: {} },
    })),
  });
  const messageIds = [...messages, newId(), 'none', ''];
  return {
    user_id: ['u1', 'u1', 'u1', 'u1', 'u2', '', ' ', 'x'.repeat(256), '__proto__'],
    message_id: messageIds,
    last_message_id: messageIds,
    status: ['READ', 'ARCHIVE', 'UNREAD', ''],
  };
}

/** Otherwise another test's workers would deliver them. */
async function removeRows(): Promise<void> {
  const accounts = [[tenant.accountId, other.accountId]];
  const { delivery } = system.database;
  const accountFilter = 'request_id IN (SELECT id FROM request WHERE account_id = ANY($1))';
  await delivery.query(`DELETE FROM message WHERE ${accountFilter}`, accounts);
  await delivery.query(`DELETE FROM request_item WHERE ${accountFilter}`, accounts);
  await delivery.query('DELETE FROM request WHERE account_id = ANY($1)', accounts);
}

/** Makes a call, and throws if its answer violates a rule for all answers. */
async function checkCall(call: Call): Promise<void> {
  const answer = await caller.exchange(call);
  enter(ledger, call, answer);
  const problem = findProblem(answer, call.method);
  if (problem) throw new Error(`${problem}: ${answer.text.slice(0, 500)}`);
}

/** Blocked times as the gateway measured them, in processor time. A busy machine can double it. */
function stallsMs(): number[] {
  const stalls = system.api.lines.filter(({ message }) => message === 'loop.stalled');
  return stalls.map(({ held_ms: heldMs }) => Number(heldMs)).filter((ms) => ms > heldOnBusyMs);
}

/** Resolves when the gateway's output so far has been read. */
async function catchUp(): Promise<void> {
  const { headers } = await caller.exchange({ method: 'GET', path: '/livez', headers: [] });
  const isLogged = () =>
    system.api.lines.some(({ request_id: id }) => id === headers['x-request-id']);
  await eventually(() => expect(isLogged()).toBe(true), { intervalMs: 2 });
}

/** Throws if a call stalls the gateway every time that it runs alone. */
async function runAlone(call: Call): Promise<void> {
  await catchUp();
  const before = stallsMs().length;
  for (let tries = 1; tries <= triesAlone; tries += 1) {
    const stallCount = stallsMs().length;
    await checkCall(withOwnKey(call));
    await catchUp();
    if (stallsMs().length === stallCount) return;
  }
  throw new Error(`stalls the event loop each time, for ${stallsMs().slice(before)} ms`);
}

/** Gives a retried request a new key, so that it runs again instead of being replayed. */
function withOwnKey(call: Call): Call {
  const headers = call.headers.map(([name, value]) =>
    name === 'Idempotency-Key' && value.length > 30
      ? ([name, `${value}-${randomInt(1e9)}`.slice(-255)] as const)
      : ([name, value] as const),
  );
  return { ...call, headers };
}

type Sent = { stream: number; index: number; fromMs: number; toMs: number };

/** Each stream makes its calls one after the other, in parallel with the other streams. */
async function runStream(calls: fc.Arbitrary<Call>, stream: number, sent: Sent[]): Promise<void> {
  let index = 0;
  const property = fc.asyncProperty(calls, async (call) => {
    const one = { stream, index, fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY };
    index += 1;
    sent.push(one);
    await checkCall(call);
    one.toMs = Date.now();
  });
  await fc.assert(property, {
    seed: seed + stream,
    numRuns: callCount / streamCount,
    interruptAfterTimeLimit: callsTimeoutMs,
    markInterruptAsFailure: true,
  });
}

/** Lists the calls that were in flight while the gateway stalled. */
function suspectsIn(sent: readonly Sent[]): Sent[] {
  const stalls = system.api.lines
    .filter(({ message }) => message === 'loop.stalled')
    .map(({ timestamp, duration_ms: durationMs }) => {
      const toMs = Date.parse(String(timestamp));
      return { fromMs: toMs - Number(durationMs) - 50, toMs: toMs + 50 };
    });
  return sent.filter((one) =>
    stalls.some((stall) => one.fromMs <= stall.toMs && one.toMs >= stall.fromMs),
  );
}

describe('the gateway under hostile calls', () => {
  test(`answers each of ${callCount} generated calls in its own error shape, and stalls for none of them alone (seed ${seed})`, async () => {
    const events = [...Array(12).fill(liveEvent), 'none', ' ', 'x'.repeat(129)];
    const [knownTexts, readerTexts] = [{ event: events }, await createItems()];
    const calls = createCalls({ operations, tenant, other, knownTexts, readerTexts, receipts });
    const sent: Sent[] = [];
    const streams = Array.from({ length: streamCount }, (_, stream) =>
      runStream(calls, stream, sent),
    );
    for (const outcome of await Promise.allSettled(streams)) {
      if (outcome.status === 'rejected') throw outcome.reason;
    }
    await catchUp();
    const suspects = suspectsIn(sent);
    expect(suspects.length).toBeLessThan(maxSuspects);
    const property = fc.asyncProperty(calls, runAlone);
    for (const { stream, index } of suspects) {
      await fc.assert(property, { seed: seed + stream, path: String(index), numRuns: 1 });
    }
    expect(sent).toHaveLength(callCount);
  }, 600_000);

  test('answers any bytes on a connection in its own error shape', async () => {
    const answers = await Promise.all(
      createRawCalls(tenant).map(async ({ name, bytes, status }) => {
        const text = await callRaw(system.apiUrl, bytes);
        const [, statusText] = /^HTTP\/1\.1 (\d+)/.exec(text) ?? [];
        const isOurs = statusText === '100' || /\{"(success|status)":.*\}/.test(text);
        return {
          name,
          status: Number(statusText) || 'none',
          isOurs: isOurs || !statusText,
          expectedStatus: status,
        };
      }),
    );
    const mismatches = answers.filter(
      ({ status, expectedStatus, isOurs }) => status !== expectedStatus || !isOurs,
    );
    expect(mismatches).toEqual([]);
  }, 60_000);

  test.each(Object.keys(giants))(
    'does not stall for %s',
    async (name) => {
      const text = giants[name]?.().replace(liveEventMark, JSON.stringify(liveEvent)) ?? '';
      const body = Buffer.from(text);
      const withBody = operations.filter(({ body: schema }) => schema);
      for (const { method, path } of isFull ? withBody : withBody.slice(0, 3)) {
        const call = {
          method: method.toUpperCase(),
          path: path.replace('{app_id}', tenant.appId).replace(/\{\w+\}/g, 'u1'),
          headers: [
            ['Authorization', `AuthKey ${tenant.apiKey}`],
            ['Content-Type', 'application/json'],
            ['Idempotency-Key', `a-key-of-over-thirty-characters-${randomInt(1e9)}`],
          ] as const,
          body,
        };
        await runAlone(call);
      }
    },
    120_000,
  );

  test('stored what it answered with 200, and nothing else', async () => {
    const { rows: requests } = await system.database.delivery.query<{ id: string; items: number }>(
      `SELECT r.id, (SELECT count(*)::int FROM request_item i WHERE i.request_id = r.id) AS items
       FROM request r WHERE account_id = ANY($1)`,
      [[tenant.accountId, other.accountId]],
    );
    expect(requests.length).toBeGreaterThan(callCount / 200);
    expect(sorted(requests.map(({ id, items }) => `${id} ${items}`))).toEqual(
      sorted([...ledger.requests].map(([id, items]) => `${id} ${items}`)),
    );
    const { prisma } = system.database;
    const where = { accountId: { in: [tenant.accountId, other.accountId] } };
    const keys = await prisma.idempotencyKey.findMany({ where, select: { requestId: true } });
    expect(sorted(keys.map(({ requestId }) => requestId))).toEqual(sorted(ledger.idempotentCalls));
    const appFilter = { appId: { in: [tenant.appId, other.appId] } };
    const users = await prisma.user.findMany({ where: appFilter });
    expect(users.map(({ id }) => id)).toEqual(expect.arrayContaining([...ledger.users]));
    expect(users.map(({ userId }) => userId)).toEqual(expect.arrayContaining([...ledger.readers]));
    const others = users.filter(({ id }) => !ledger.users.has(id));
    expect([...ledger.readers]).toEqual(expect.arrayContaining(others.map(({ userId }) => userId)));
    const devices = await prisma.device.findMany({ where: appFilter, select: { id: true } });
    for (const { id } of devices) expect(ledger.devices).toContain(id);
  });

  test('accepted signed calls from front ends and a provider, and counted what they stored', async () => {
    expect(ledger.signedCalls.frontEnds).toBeGreaterThan(callCount / 50);
    expect(ledger.signedCalls.providers).toBeGreaterThan(callCount / 200);
    const { inboxItem, receipt } = system.database.prisma;
    const items = await inboxItem.findMany({ where: { appId: tenant.appId } });
    expect(items).toHaveLength(3);
    expect(items.map(({ status }) => status)).not.toEqual(['UNREAD', 'UNREAD', 'UNREAD']);
    expect(await receipt.count({ where: { appId: tenant.appId } })).toBeGreaterThan(0);
  });

  test('logged no internal error, and still runs', async () => {
    await catchUp();
    const faults = system.api.lines.filter(
      ({ level, code }) => level === 'error' || code === 'internal',
    );
    expect(faults).toEqual([]);
    expect(system.api.output.filter((line) => /unhandled|warning:/i.test(line))).toEqual([]);
  });
});

function sorted(texts: Iterable<string>): string[] {
  return [...texts].sort();
}

import { createGuardedHttp, type GuardedHttp } from '@belfry/channels';
import type { Logger } from '@belfry/runtime';
import { createHttpSimulator } from '@belfry/testing';
import { createOutgoingHeartbeat } from './outgoing-heartbeat';

type Monitor = Awaited<ReturnType<typeof createHttpSimulator>> & { url: string };

let monitor: Monitor;
let http: GuardedHttp;

beforeAll(async () => {
  // Some monitors answer with another status of success than 200.
  monitor = await createHttpSimulator({ handle: () => ({ reply: { status: 202, body: 'ok' } }) });
});
afterAll(() => monitor.close());
beforeEach(() => {
  http = createGuardedHttp({ allowedPrivateHosts: ['127.0.0.1'] });
});
afterEach(() => http.close());

function create(isWorking: () => Promise<boolean>) {
  const lines: string[] = [];
  const record = (event: string) => void lines.push(event);
  const log = { warn: record, info: record } as unknown as Logger;
  const url = `${monitor.url}/ping/secret`;
  const heartbeat = createOutgoingHeartbeat({ url, http, isWorking, everyMs: 60_000, log });
  return { heartbeat, lines };
}

test('it calls the URL while everything works, and not while something does not', async () => {
  let isWorking = true;
  const { heartbeat, lines } = create(async () => isWorking);
  const before = monitor.requests.length;
  await heartbeat.runOnce();
  isWorking = false;
  await heartbeat.runOnce();
  expect(monitor.requests.slice(before).map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /ping/secret',
  ]);
  expect(lines).toEqual([]);
});

test('a store that does not answer stops it', async () => {
  const { heartbeat } = create(() => Promise.reject(new Error('away')));
  const before = monitor.requests.length;
  await heartbeat.runOnce();
  expect(monitor.requests).toHaveLength(before);
});

test('an outage of the monitor is logged once, and so is its end', async () => {
  const { heartbeat, lines } = create(async () => true);
  monitor.fail({ reply: { status: 500, body: '' } }, { reply: { status: 500, body: '' } });
  for (let runs = 0; runs < 4; runs += 1) await heartbeat.runOnce();
  expect(lines).toEqual(['heartbeat_url.failed', 'heartbeat_url.restored']);
});

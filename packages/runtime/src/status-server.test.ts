import { createMetrics, type MetricsSources } from './metrics';
import { createStatusServer, type StatusServer } from './status-server';

let server: StatusServer | undefined;
afterEach(() => server?.close());

const sources: MetricsSources = {
  readQueueJobs: async () => [{ queue: 'deliver-email', state: 'waiting', count: 3 }],
  readOldestWaiting: async () => [{ channel: 'email', seconds: 1.5 }],
};

async function start({ ready = async () => true, changes = {} as Partial<MetricsSources> } = {}) {
  const metrics = createMetrics({ ...sources, ...changes });
  server = createStatusServer();
  const url = await server.listen({ metrics, ready }, { host: '127.0.0.1', port: 0 });
  return { metrics, get: (path: string, init?: RequestInit) => fetch(url + path, init) };
}

describe('the status server', () => {
  test.each<[string, () => Promise<boolean>, number]>([
    ['the process is ready', async () => true, 200],
    ['it is not ready', async () => false, 503],
    ['the check fails', () => Promise.reject(new Error('away')), 503],
  ])('answers /readyz when %s, and /livez always', async (_, ready, status) => {
    const { get } = await start({ ready });
    expect((await get('/readyz')).status).toBe(status);
    expect((await get('/livez')).status).toBe(200);
  });

  test.each([
    ['/nothing', 'GET'],
    ['/metrics', 'POST'],
    ['/__proto__', 'GET'],
  ])('returns 404 for %s with %s', async (path, method) => {
    const { get } = await start();
    expect((await get(path, { method })).status).toBe(404);
  });

  test('returns all counters, and the current values of its sources', async () => {
    const { metrics, get } = await start();
    metrics.countHttpRequest({ route: '/v1/x/:id', method: 'POST', status: 200, seconds: 0.01 });
    metrics.countMessage({ channel: 'email', provider: 'smtp', outcome: 'accepted' });
    metrics.countIdempotency('replay');
    metrics.countRateLimitBypass();
    const response = await get('/metrics');
    const lines = (await response.text()).split('\n');
    expect(response.headers.get('content-type')).toContain('text/plain');
    expect(lines).toEqual(
      expect.arrayContaining([
        'belfry_http_requests_total{route="/v1/x/:id",method="POST",status="200"} 1',
        'belfry_http_request_duration_seconds_count{route="/v1/x/:id",method="POST"} 1',
        'belfry_messages_total{channel="email",provider="smtp",outcome="accepted"} 1',
        'belfry_idempotency_total{result="replay"} 1',
        'belfry_rate_limit_bypassed_total 1',
        'belfry_queue_jobs{queue="deliver-email",state="waiting"} 3',
        'belfry_oldest_waiting_seconds{channel="email"} 1.5',
      ]),
    );
  });

  test('omits a source that fails, and returns the rest', async () => {
    const changes = { readOldestWaiting: () => Promise.reject(new Error('away')) };
    const { get } = await start({ changes });
    const text = await (await get('/metrics')).text();
    expect(text).toContain('belfry_queue_jobs{');
    expect(text).not.toContain('belfry_oldest_waiting_seconds{');
  });

  test('has only labels with few values', async () => {
    const { metrics, get } = await start();
    metrics.countHttpRequest({ route: 'none', method: 'GET', status: 404, seconds: 0.01 });
    metrics.countMessage({ channel: 'email', provider: 'smtp', outcome: 'accepted' });
    metrics.countIdempotency('first');
    const text = await (await get('/metrics')).text();
    const names = [...text.matchAll(/[{,](\w+)="/g)].map(([, name]) => name);
    const few = ['route', 'method', 'status', 'le', 'channel', 'provider', 'outcome'];
    expect(new Set(names)).toEqual(new Set([...few, 'result', 'queue', 'state']));
  });
});

import {
  channelVersion,
  eventually,
  findClosedPort,
  type System,
  startSystem,
} from '@belfry/testing';
import {
  listMetricUses,
  listPrometheusQueries,
  listSharedLabels,
} from '../src/prometheus-queries.fixture';

let system: System;
/** The labels of each metric, in a gateway or a worker. */
let scraped: Map<string, Set<string>>;

beforeAll(async () => {
  system = await startSystem();
  await useEverything();
  const urls = [
    (await system.api.waitForLine('api.ready'))['metrics_url'],
    (await system.workers[0]?.waitForLine('worker.ready'))?.['url'],
  ];
  scraped = await eventually(async () => {
    const texts = await Promise.all(urls.map(scrape));
    const labels = readLabels(texts.join('\n'));
    // A counter with labels is only there once it counted something.
    expect([...labels.keys()]).toEqual(expect.arrayContaining(countedLater));
    return labels;
  });
}, 120_000);

afterAll(() => system.stop(), 60_000);

const countedLater = [
  'belfry_idempotency_total',
  'belfry_messages_total',
  'belfry_unsubscribe_links_total',
  'belfry_webhook_tries_total',
];

/** A message with an idempotency key, a webhook about it, and an unsubscribe link. */
async function useEverything(): Promise<void> {
  const tenant = await system.factories.createTenant();
  const url = `http://127.0.0.1:${await findClosedPort()}`;
  await system.factories.createWebhookEndpoint(tenant, { url });
  const event = await system.factories.createEvent(tenant, {
    email: channelVersion({ subject: 'Hi', text: 'Hello' }),
  });
  const user = { user_id: 'customer', email: 'customer@example.com' };
  const body = { event: event.name, user };
  expect((await system.send(tenant, body, { 'Idempotency-Key': 'once' })).status).toBe(200);
  await fetch(new URL('/u/invalid', system.apiUrl));
}

async function scrape(url: unknown): Promise<string> {
  return (await fetch(new URL('/metrics', String(url)))).text();
}

function readLabels(text: string): Map<string, Set<string>> {
  const labels = new Map<string, Set<string>>();
  for (const [, name = '', pairs = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const own = labels.get(name) ?? new Set();
    for (const [, label = ''] of pairs.matchAll(/(\w+)="/g)) own.add(label);
    labels.set(name, own);
  }
  return labels;
}

/** Prometheus adds these to every metric, and the metric `up`. */
const addedLabels = ['job', 'instance'];

test.each(listPrometheusQueries())(
  'the running processes have every metric and label of "$from": $expr',
  (query) => {
    const uses = listMetricUses(query).filter(({ name }) => name !== 'up');
    const missing = uses.flatMap(({ name, labels }) => {
      const own = scraped.get(name);
      return own
        ? labels.filter((label) => !own.has(label)).map((label) => `${name} ${label}`)
        : name;
    });
    expect(missing).toEqual([]);
    const all = [...addedLabels, ...uses.flatMap(({ name }) => [...(scraped.get(name) ?? [])])];
    expect(listSharedLabels(query).filter((label) => !all.includes(label))).toEqual([]);
  },
);

test('the board shows every metric of the processes', () => {
  const used = new Set(
    listPrometheusQueries()
      .flatMap(listMetricUses)
      .map(({ name }) => name),
  );
  const unused = [...scraped.keys()].filter(
    (name) => name.startsWith('belfry_') && !/_(sum|count)$/.test(name) && !used.has(name),
  );
  expect(unused).toEqual([]);
});

test('the dashboard answers its probes', async () => {
  const dashboard = await system.startDashboard();
  const { url } = await dashboard.waitForLine('dashboard.ready');
  for (const probe of ['/livez', '/readyz']) {
    expect((await fetch(new URL(probe, String(url)))).status).toBe(200);
  }
});

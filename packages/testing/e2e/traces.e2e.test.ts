import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  channelVersion,
  createHttpSimulator,
  createOtlpCollector,
  createPostmarkSimulator,
  eventually,
  findClosedPort,
  postmarkWebhook,
  type ReceivedSpan,
  type System,
  startSystem,
  type Tenant,
} from '@belfry/testing';

jest.setTimeout(120_000);

const from = { name: 'Belfry', address: 'notify@example.com' };

let collector: Awaited<ReturnType<typeof createOtlpCollector>>;
let postmark: Awaited<ReturnType<typeof createPostmarkSimulator>>;
let receiver: Awaited<ReturnType<typeof createHttpSimulator>>;
let system: System;
let tenant: Tenant;
let event: string;

beforeAll(async () => {
  collector = await createOtlpCollector();
  postmark = await createPostmarkSimulator();
  receiver = await createHttpSimulator({ handle: () => ({ reply: { status: 204, body: '' } }) });
  system = await startTraced({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-token',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  });
  tenant = await system.factories.createTenant({ delivery: 'live' });
  event = await createMailEvent(system, tenant);
  const endpoint = { url: `${receiver.url}/hook`, types: ['message.sent' as const] };
  await system.factories.createWebhookEndpoint(tenant, endpoint);
});

afterAll(async () => {
  await system?.stop();
  await Promise.all([collector, postmark, receiver].map((each) => each?.close()));
});

function startTraced(env: Record<string, string>): Promise<System> {
  return startSystem({
    env: { POSTMARK_API_URL: postmark.url, OTEL_BSP_SCHEDULE_DELAY: '50', ...env },
  });
}

async function createMailEvent({ factories }: System, owner: Tenant): Promise<string> {
  const { id } = await factories.createIntegration(owner, {
    channel: 'email',
    provider: 'postmark',
    settings: { from },
    credentials: { server_token: 'simulated-postmark-token', ...postmarkWebhook },
  });
  const version = channelVersion({ subject: 'Hi', text: 'Hi' }, { integrationIds: [id] });
  return (await factories.createEvent(owner, { email: version })).name;
}

/** A trace of a caller, as its tracer would make one. */
function createCaller({ isSampled = true } = {}) {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}` };
}

const listSpans = () => collector.sends.flat();

function findSpans(traceId: string, count: number): Promise<ReceivedSpan[]> {
  return eventually(async () => {
    const spans = listSpans().filter((span) => span.traceId === traceId);
    expect(spans.map(({ name }) => name)).toHaveLength(count);
    return spans;
  });
}

function pick(spans: ReceivedSpan[], kind: ReceivedSpan['kind'], start: string): ReceivedSpan {
  const span = spans.find(({ name, kind: own }) => own === kind && name.startsWith(start));
  if (!span)
    throw new Error(
      `No span ${kind} ${start} among ${JSON.stringify(spans.map(({ name, kind: own }) => [own, name]))}`,
    );
  return span;
}

async function sendMail(headers: Record<string, string>, on = { system, tenant, event }) {
  const body = { event: on.event, user: { email: 'ana@example.org' }, data: { secret: 'rope' } };
  const answer = await on.system.send(on.tenant, body, headers);
  expect(answer.status).toBe(200);
  const requestId = String(answer.body.request_id);
  const [message] = await on.system.settled(requestId, ['sent']);
  return { requestId, messageId: String(message?.id) };
}

async function readTraceId(requestId: string): Promise<unknown> {
  const url = new URL(`/v1/apps/${tenant.appId}/requests/${requestId}`, system.apiUrl);
  const answer = await fetch(url, { headers: { Authorization: `AuthKey ${tenant.apiKey}` } });
  return ((await answer.json()) as { trace_id?: unknown }).trace_id;
}

describe('a send with a traceparent', () => {
  test('is one trace over gateway, worker, provider call and webhook, each below the one that caused it', async () => {
    const caller = createCaller();
    const { requestId, messageId } = await sendMail({ traceparent: caller.traceparent });
    const spans = await findSpans(caller.traceId, 4);
    const call = pick(spans, 'server', 'POST /v1');
    const delivery = pick(spans, 'consumer', 'process');
    const provider = pick(spans, 'client', 'send');
    const webhook = pick(spans, 'client', 'POST');
    expect(call).toMatchObject({
      name: 'POST /v1/apps/{app_id}/events/send',
      parentSpanId: caller.spanId,
      status: 'unset',
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v1/apps/{app_id}/events/send',
        'http.response.status_code': 200,
        'belfry.app_id': tenant.appId,
        'belfry.request_id': requestId,
      },
      resource: { 'service.name': 'belfry-api', 'deployment.environment.name': 'test' },
    });
    expect(delivery).toMatchObject({
      name: 'process deliver-email',
      parentSpanId: call.spanId,
      status: 'unset',
      attributes: {
        'messaging.system': 'belfry',
        'messaging.operation.type': 'process',
        'messaging.destination.name': 'deliver-email',
        'messaging.message.id': messageId,
        'belfry.request_id': requestId,
        'belfry.attempt': 1,
        'belfry.outcome': 'accepted',
        'belfry.state': 'sent',
      },
      resource: { 'service.name': 'belfry-worker' },
    });
    expect(provider).toMatchObject({
      name: 'send postmark',
      parentSpanId: delivery.spanId,
      attributes: { 'belfry.provider': 'postmark' },
    });
    expect(webhook).toMatchObject({
      parentSpanId: call.spanId,
      attributes: { 'server.address': '127.0.0.1', 'http.response.status_code': 204 },
    });
    const [hook] = receiver.requests.filter(({ headers }) =>
      headers['traceparent']?.includes(caller.traceId),
    );
    expect(hook?.headers['traceparent']).toBe(`00-${caller.traceId}-${webhook.spanId}-01`);
  });

  test('has its trace ID in log lines of gateway and worker, and in the status of the request', async () => {
    const { traceId, traceparent } = createCaller();
    const { requestId } = await sendMail({ traceparent });
    expect(await readTraceId(requestId)).toBe(traceId);
    await eventually(async () => {
      const lines = [system.api, ...system.workers].flatMap((each) => each.lines);
      const own = lines.filter((line) => line['request_id'] === requestId);
      expect(own.map((line) => [line.message, line['trace_id']])).toEqual([
        ['call', traceId],
        ['attempt.closed', traceId],
      ]);
    });
  });

  test('that is not sampled exports no span, and keeps its trace ID', async () => {
    const { traceId, traceparent } = createCaller({ isSampled: false });
    const { requestId } = await sendMail({ traceparent });
    expect(await readTraceId(requestId)).toBe(traceId);
    const later = createCaller();
    await sendMail({ traceparent: later.traceparent });
    await findSpans(later.traceId, 4);
    expect(listSpans().filter((span) => span.traceId === traceId)).toEqual([]);
  });
});

describe('spans', () => {
  test('have no address and no data, and the provider gets no traceparent', async () => {
    const { traceId, traceparent } = createCaller();
    await sendMail({ traceparent });
    const text = JSON.stringify(await findSpans(traceId, 4), (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    for (const secret of ['ana@', 'rope', tenant.apiKey]) expect(text).not.toContain(secret);
    expect(postmark.requests.length).toBeGreaterThan(0);
    for (const { headers } of postmark.requests) expect(headers['traceparent']).toBeUndefined();
    for (const { headers } of collector.requests) {
      expect(headers['authorization']).toBe('Bearer collector-token');
    }
    const output = [system.api, ...system.workers].flatMap((each) => each.output).join('\n');
    expect(output).not.toContain('collector-token');
  });

  test('of a retry are in the trace of the request, and the failed attempt is an error', async () => {
    postmark.fail({ reply: { status: 503, body: {} } });
    const { traceId, traceparent } = createCaller();
    await sendMail({ traceparent });
    const spans = await findSpans(traceId, 6);
    const attempts = spans.filter(({ kind }) => kind === 'consumer');
    expect(attempts.map(({ status, attributes }) => [status, attributes['error.type']])).toEqual([
      ['error', 'http_503'],
      ['unset', undefined],
    ]);
  });

  test('of a bulk are one trace: the call, the planning, and each message', async () => {
    const { traceId, traceparent } = createCaller();
    const batch = ['ana', 'ben'].map((name) => ({ user: { email: `${name}@example.org` } }));
    const answer = await fetch(`${system.apiUrl}/v1/apps/${tenant.appId}/events/bulk_send`, {
      method: 'POST',
      headers: {
        Authorization: `AuthKey ${tenant.apiKey}`,
        'Content-Type': 'application/json',
        traceparent,
      },
      body: JSON.stringify({ event, batch }),
    });
    expect(answer.status).toBe(200);
    const spans = await findSpans(traceId, 8);
    const call = pick(spans, 'server', 'POST');
    expect(pick(spans, 'internal', 'plan bulk').parentSpanId).toBe(call.spanId);
    expect(spans.filter(({ parentSpanId }) => parentSpanId === call.spanId)).toHaveLength(5);
  });
});

describe('docs/how-to/trace-a-message.md', () => {
  test('its commands send with a traceparent and find the trace', async () => {
    const guide = path.resolve(__dirname, '../../../docs/how-to/trace-a-message.md');
    const blocks = readFileSync(guide, 'utf8').matchAll(/^ +```sh\n([\s\S]*?)^ +```$/gm);
    const [send = '', find = ''] = [...blocks].map(([, code = '']) => code);
    const owner = await system.factories.createTenant();
    const email = channelVersion({ subject: 'Hi', text: 'Hi' });
    await system.factories.createEvent(owner, { email }, { name: 'order_shipped' });
    const env = { BELFRY_URL: system.apiUrl, APP_ID: owner.appId, API_KEY: owner.apiKey };
    const run = (code: string, more = {}) =>
      execFileSync('bash', ['-euc', code], {
        env: { PATH: process.env['PATH'], ...env, ...more },
        encoding: 'utf8',
      });
    const traceId = /traceparent: 00-([0-9a-f]{32})/.exec(send)?.[1];
    const answer = JSON.parse(run(send)) as { request_id: string };
    const line = run(find, { REQUEST_ID: answer.request_id });
    expect(line.trim()).toBe(`"trace_id":"${traceId}"`);
    const spans = await findSpans(String(traceId), 3);
    expect(pick(spans, 'internal', 'send').name).toBe('send sandbox');
  });
});

describe('a traceparent that the specification calls invalid', () => {
  const { traceId, spanId } = createCaller();
  test.each([
    ['has capital letters', `00-${traceId.replace(/.$/, 'A')}-${spanId}-01`],
    ['has a trace ID of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['has more fields than its version', `00-${traceId}-${spanId}-01-more`],
    ['has version ff', `ff-${traceId}-${spanId}-01`],
  ])('is ignored, and the call begins a trace, if it %s', async (_what, traceparent) => {
    const { requestId } = await sendMail({ traceparent });
    const [call] = await eventually(async () => {
      const own = listSpans().filter((span) => span.attributes['belfry.request_id'] === requestId);
      expect(own.map(({ kind }) => kind).sort()).toEqual(['consumer', 'server']);
      return own.filter(({ kind }) => kind === 'server');
    });
    expect(call?.parentSpanId).toBeUndefined();
    expect(call?.traceId).not.toBe(traceId);
    expect(await readTraceId(requestId)).toBe(call?.traceId);
  });
});

describe('a collector that is away', () => {
  test('stops no send, is logged once, and does not hold up the end of a process', async () => {
    const away = await startTraced({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await findClosedPort()}`,
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
    });
    try {
      const owner = await away.factories.createTenant({ delivery: 'live' });
      const on = { system: away, tenant: owner, event: await createMailEvent(away, owner) };
      for (let send = 0; send < 5; send += 1) await sendMail({}, on);
      const processes = [away.api, ...away.workers];
      for (const each of processes) await each.waitForLine('traces.not_exported');
      await sendMail({}, on);
      expect(await Promise.all(processes.map((each) => each.stop()))).toEqual([0, 0]);
      for (const { lines } of processes) {
        expect(lines.filter(({ message }) => message === 'traces.not_exported')).toHaveLength(1);
      }
    } finally {
      await away.stop();
    }
  });
});

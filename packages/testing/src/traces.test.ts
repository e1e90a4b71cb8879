import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findClosedPort } from './simulators/http-simulator';
import { createOtlpCollector } from './simulators/otlp';

const run = promisify(execFile);

/** Records spans below `parent`, one after the other below the first, closes, and prints the result. */
const script = `
const { createTracing, readEnv } = require('@belfry/runtime');
const [parent, count] = [process.argv[1] || undefined, Number(process.argv[2])];
const [warnings, closers] = [[], []];
const tracing = createTracing({
  env: readEnv('worker'),
  service: 'belfry-worker',
  log: { warn: (event, { count: lost, error }) => warnings.push({ event, lost, isError: error instanceof Error }) },
  shutdown: { add: (_name, close) => closers.push(close) },
});
const traceparents = [];
for (let index = 0; index < count; index += 1) {
  const startMs = performance.now() - 5;
  const attributes = { 'belfry.attempt': 2, 'belfry.waits': undefined };
  const span = tracing.start({ name: 'process', kind: 'consumer', parent: traceparents[0] ?? parent, startMs, attributes });
  span.end({ endMs: startMs + 5, error: 'http_503' });
  traceparents.push(span.traceparent);
}
Promise.all(closers.map((close) => close())).then(() => {
  console.log(JSON.stringify({ traceparents: traceparents.slice(0, 2), warnings }));
  process.exit();
});`;

type Result = {
  traceparents: string[];
  warnings: { event: string; lost: number; isError: boolean }[];
};

let collector: Awaited<ReturnType<typeof createOtlpCollector>>;

beforeAll(async () => {
  collector = await createOtlpCollector();
});

afterAll(() => collector.close());

/** The SDK imports modules at run time, which Jest does not allow, so it runs in its own process. */
async function recordSpans(url: string, { parent = '', count = 2 } = {}): Promise<Result> {
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: 'postgresql://db/belfry',
    REDIS_URL: 'redis://redis:6379',
    BELFRY_KEYS: 'k1:key',
    PUBLIC_URL: 'https://notify.example.com',
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_TIMEOUT: '200',
  };
  const args = ['-e', script, parent, String(count)];
  const { stdout } = await run(process.execPath, args, { env });
  return JSON.parse(stdout) as Result;
}

describe('tracing', () => {
  test('exports a span below its parent, with its times and its error', async () => {
    const { traceparents, warnings } = await recordSpans(collector.url);
    expect(warnings).toEqual([]);
    const [root, child] = traceparents.map((traceparent) => traceparent.split('-'));
    const spans = collector.sends.flat().filter(({ traceId }) => traceId === root?.[1]);
    expect(spans).toHaveLength(2);
    expect(spans[0]?.parentSpanId).toBeUndefined();
    expect(spans[1]).toMatchObject({
      spanId: child?.[2],
      parentSpanId: root?.[2],
      kind: 'consumer',
      status: 'error',
      attributes: { 'belfry.attempt': 2, 'error.type': 'http_503' },
      resource: { 'service.name': 'belfry-worker' },
    });
    expect(Number((spans[1]?.endNs ?? 0n) - (spans[1]?.startNs ?? 0n))).toBeCloseTo(5e6, -5);
  });

  test('keeps an unsampled parent unsampled, and exports nothing of it', async () => {
    const id = 'c'.repeat(32);
    const parent = `00-${id}-${'d'.repeat(16)}-00`;
    const { traceparents } = await recordSpans(collector.url, { parent });
    expect(traceparents[0]).toMatch(new RegExp(`^00-${id}-[0-9a-f]{16}-00$`));
    expect(collector.sends.flat().filter(({ traceId }) => traceId === id)).toEqual([]);
  });

  test.each([
    ['refuses connections', async () => `http://127.0.0.1:${await findClosedPort()}`],
    [
      'never answers',
      async () => {
        collector.fail(...Array.from({ length: 20 }, () => ({ hang: true }) as const));
        return collector.url;
      },
    ],
  ])('ends and warns once if the collector %s', async (_what, prepare) => {
    const { warnings } = await recordSpans(await prepare(), { count: 5_000 });
    expect(warnings).toEqual([
      { event: 'traces.not_exported', lost: expect.any(Number), isError: true },
    ]);
  });
});

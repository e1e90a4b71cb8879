import { execFileSync } from 'node:child_process';
import { EnvError, readEnv } from './env';

const stores = {
  DATABASE_URL: 'postgresql://db/belfry',
  REDIS_URL: 'redis://redis:6379',
  BELFRY_KEYS: 'k1:key',
  PUBLIC_URL: 'https://notify.example.com',
};

/** Lists the modules of the SDK in a process that created tracing with these variables. */
function listSdkModules(variables: Record<string, string>): string[] {
  const script = `
    const runtime = require('@belfry/runtime');
    const shutdown = { add: () => undefined };
    const tracing = runtime.createTracing({ env: runtime.readEnv('api'), service: 'belfry-api', shutdown });
    const { cache } = require;
    const sdk = /@opentelemetry\\/(?!api\\/)|runtime\\/dist\\/tracing-sdk/;
    console.log(JSON.stringify({ isOn: tracing !== undefined, sdk: Object.keys(cache).filter((file) => sdk.test(file)) }));
    process.exit();`;
  const env = { PATH: process.env['PATH'], ...stores, ...variables };
  const output = execFileSync(process.execPath, ['-e', script], { env, encoding: 'utf8' });
  const { isOn, sdk } = JSON.parse(output) as { isOn: boolean; sdk: string[] };
  expect(isOn).toBe(sdk.length > 0);
  return sdk;
}

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

describe('a process', () => {
  test.each([
    ['without settings of traces', {}],
    ['with OTEL_SDK_DISABLED', { ...endpoint, OTEL_SDK_DISABLED: 'true' }],
    ['with OTEL_TRACES_EXPORTER=none', { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }],
    ['with only the name of the service', { OTEL_SERVICE_NAME: 'belfry' }],
  ])('%s loads no module of the SDK', (_what, variables) => {
    expect(listSdkModules(variables)).toEqual([]);
  });

  test.each([
    ['an endpoint', endpoint],
    ['an endpoint for traces', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://a:4318/v1/traces' }],
    ['OTEL_TRACES_EXPORTER=otlp', { OTEL_TRACES_EXPORTER: 'otlp' }],
  ])('with %s loads the SDK', (_what, variables) => {
    expect(listSdkModules(variables).length).toBeGreaterThan(100);
  });
});

function findProblems(variables: Record<string, string>): string[] {
  try {
    readEnv('worker', { ...stores, ...variables });
    return [];
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    return error.problems.map(({ name, problem }) => `${name} ${problem}`);
  }
}

describe('a setting of traces', () => {
  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'must start with http:// or https://'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'a collector', 'must be a URL'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'ftp://a/', 'must start with http:// or https://'],
    ['OTEL_TRACES_EXPORTER', 'zipkin', 'must be otlp or none'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', expect.stringMatching(/^must be http\/protobuf/)],
    ['OTEL_TRACES_SAMPLER', 'sometimes', expect.stringMatching(/^must be one of always_on, /)],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'Bearer t', 'must be name=value, comma separated'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'a=b,=c', 'must be name=value, comma separated'],
  ])('%s is refused if it is %s, and only while traces are on', (name, value, problem) => {
    const problems = findProblems({ ...endpoint, [name]: value });
    expect(problems).toEqual([
      typeof problem === 'string' ? `${name} ${problem}` : expect.stringContaining(name),
    ]);
    expect(problems[0]?.slice(name.length + 1)).toEqual(problem);
    expect(findProblems({ OTEL_SDK_DISABLED: 'true', [name]: value })).toEqual([]);
  });

  test.each(['2', '-0.1', 'half', '1.5'])('is refused as the share of a ratio: %s', (share) => {
    const ratio = { ...endpoint, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' };
    expect(findProblems({ ...ratio, OTEL_TRACES_SAMPLER_ARG: share })).toEqual([
      'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1',
    ]);
    expect(findProblems({ ...endpoint, OTEL_TRACES_SAMPLER_ARG: share })).toEqual([]);
  });

  test.each(['0', '1', '0.25', '.5', '1.0'])('can be the share of a ratio: %s', (share) => {
    const ratio = { ...endpoint, OTEL_TRACES_SAMPLER: 'traceidratio' };
    expect(findProblems({ ...ratio, OTEL_TRACES_SAMPLER_ARG: share })).toEqual([]);
  });
});

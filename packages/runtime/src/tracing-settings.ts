import { boolean, type Setting, text } from './setting-kinds';

const tracedProcesses = ['api', 'worker'] as const;

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
];

/**
 * The rows of `settings` whose group is `traces`: standard variables of OpenTelemetry. The SDK reads them, too, and others of
 * the standard, such as OTEL_EXPORTER_OTLP_CERTIFICATE and OTEL_BSP_MAX_QUEUE_SIZE.
 */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: text({
    group: 'traces',
    for: tracedProcesses,
    default: '',
    example: 'http://otel-collector:4318',
    help: 'URL of an OpenTelemetry collector. Setting it turns traces on. They go to `/v1/traces` below it.',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: text({
    group: 'traces',
    for: tracedProcesses,
    default: '',
    example: 'http://otel-collector:4318/v1/traces',
    help: 'The whole URL for traces; it goes before OTEL_EXPORTER_OTLP_ENDPOINT.',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: text({
    group: 'traces',
    for: tracedProcesses,
    default: '',
    isSecret: true,
    example: 'authorization=Bearer%20t0ken',
    help: 'Headers for the collector: `name=value`, comma-separated, values percent-encoded.',
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: text({
    group: 'traces',
    for: tracedProcesses,
    default: 'http/protobuf',
    example: 'http/protobuf',
    help: 'Only `http/protobuf` is supported.',
  }),
  OTEL_TRACES_EXPORTER: text({
    group: 'traces',
    for: tracedProcesses,
    default: '',
    example: 'otlp',
    help: 'With `otlp`, traces are on, and go to `http://localhost:4318` if no endpoint is set. With `none`, they are off.',
  }),
  OTEL_TRACES_SAMPLER: text({
    group: 'traces',
    for: tracedProcesses,
    default: 'parentbased_always_on',
    example: 'parentbased_traceidratio',
    help: `Which traces are exported: ${samplers.map((name) => `\`${name}\``).join(', ')}. With \`parentbased\`, the caller decides about its own traces.`,
  }),
  OTEL_TRACES_SAMPLER_ARG: text({
    group: 'traces',
    for: tracedProcesses,
    default: '',
    example: '0.1',
    help: 'Share of the traces that `traceidratio` exports, from 0 to 1.',
  }),
  OTEL_SERVICE_NAME: text({
    group: 'traces',
    for: tracedProcesses,
    default: '',
    example: 'belfry-eu',
    help: 'Name of the service in traces: `belfry-api` or `belfry-worker` if unset.',
  }),
  OTEL_RESOURCE_ATTRIBUTES: text({
    group: 'traces',
    for: tracedProcesses,
    default: '',
    example: 'deployment.environment.name=production',
    help: 'More attributes of the process in traces: `name=value`, comma-separated, values percent-encoded.',
  }),
  OTEL_SDK_DISABLED: boolean({
    group: 'traces',
    for: tracedProcesses,
    default: false,
    help: 'Turns traces off, whatever else is set.',
  }),
} as const satisfies Record<string, Setting>;

type Values = Record<string, unknown>;

/** Whether a process exports traces. */
export function isTracingOn(env: Values): boolean {
  if (env['OTEL_SDK_DISABLED'] === true) return false;
  const exporter = env['OTEL_TRACES_EXPORTER'];
  if (exporter) return exporter !== 'none';
  return Boolean(env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']);
}

type Problem = { name: string; problem: string; example: string | undefined };

/** Problems of the settings, which the SDK would only ignore. While traces are off, the settings are not checked. */
export function findTracingProblems(env: Values): Problem[] {
  if (!isTracingOn(env)) return [];
  const sampler = env['OTEL_TRACES_SAMPLER'];
  const share = String(sampler).endsWith('ratio') ? env['OTEL_TRACES_SAMPLER_ARG'] : undefined;
  const problems = {
    OTEL_TRACES_EXPORTER: check(env['OTEL_TRACES_EXPORTER'], /^otlp$/, 'must be otlp or none'),
    OTEL_EXPORTER_OTLP_ENDPOINT: checkUrl(env['OTEL_EXPORTER_OTLP_ENDPOINT']),
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: checkUrl(env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']),
    OTEL_EXPORTER_OTLP_HEADERS: checkPairs(env['OTEL_EXPORTER_OTLP_HEADERS']),
    OTEL_EXPORTER_OTLP_PROTOCOL: check(
      env['OTEL_EXPORTER_OTLP_PROTOCOL'],
      /^http\/protobuf$/,
      'must be http/protobuf; an endpoint for it usually has the port 4318',
    ),
    OTEL_TRACES_SAMPLER: check(sampler, samplerNames, `must be one of ${samplers.join(', ')}`),
    OTEL_TRACES_SAMPLER_ARG: check(
      share,
      /^(?:0|1|0?\.\d{1,9}|1\.0)$/,
      'must be a number from 0 to 1',
    ),
    OTEL_RESOURCE_ATTRIBUTES: checkPairs(env['OTEL_RESOURCE_ATTRIBUTES']),
  };
  return Object.entries(problems).flatMap(([name, problem]) =>
    problem === undefined ? [] : [{ name, problem, example: undefined }],
  );
}

const samplerNames = new RegExp(`^(?:${samplers.join('|')})$`);

/** An empty value is unset. */
function check(value: unknown, shape: RegExp, problem: string): string | undefined {
  return !value || shape.test(String(value)) ? undefined : problem;
}

function checkUrl(value: unknown): string | undefined {
  if (!value || URL.canParse(String(value))) {
    return check(value, /^https?:\/\//i, 'must start with http:// or https://');
  }
  return 'must be a URL';
}

function checkPairs(value: unknown): string | undefined {
  if (!value) return undefined;
  const areWhole = String(value)
    .split(',')
    .every((pair) => pair.indexOf('=') > 0);
  return areWhole ? undefined : 'must be name=value, comma separated';
}

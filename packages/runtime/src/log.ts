import winston from 'winston';

/** Names of fields that may be logged; all others are dropped. None contains secret or personal data. */
const allowedFields = new Set([
  'account_id',
  'app_id',
  'attempt',
  'attempts',
  'body_bytes',
  'channel',
  'code',
  'count',
  'delivery',
  'due_in_ms',
  'duration_ms',
  'endpoint_id',
  'event',
  'event_id',
  'held_ms',
  'host',
  'integration_id',
  'is_clean',
  'item',
  'items',
  'job_id',
  'lease_ms',
  'limit',
  'message_id',
  'messages',
  'method',
  'metrics_url',
  'missing',
  'name',
  'outcome',
  'part',
  'pid',
  'planned',
  'port',
  'provider',
  'queue',
  'reason',
  'request_id',
  'role',
  'roles',
  'route',
  'setting',
  'skips',
  'state',
  'status',
  'trace_id',
  'url',
  'version',
  'waits',
  'webhook_id',
]);

export type LogFields = Record<string, unknown> & { error?: unknown };

/** Writes JSON lines: `event` names what happened, the fields give context. */
export type Logger = {
  error(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  debug(event: string, fields?: LogFields): void;
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Logger;
};

export type LogOptions = {
  level: 'error' | 'warn' | 'info' | 'debug';
  /** Name of the process: api, worker, ... */
  process: string;
  /** Output stream; standard output by default. Tests pass their own. */
  stream?: NodeJS.WritableStream;
};

export function createLogger({ level, process: name, stream }: LogOptions): Logger {
  const sink = winston.createLogger({
    level,
    format: jsonLine,
    // Node writes to a file or pipe on standard output synchronously, so nothing is lost when the process exits.
    transports: [new winston.transports.Stream({ stream: stream ?? process.stdout })],
  });
  return wrap(sink, { process: name });
}

/** Unlike winston's own JSON format, this keeps the order of the fields. */
const jsonLine = winston.format.printf((fields) =>
  JSON.stringify({ ...fields, timestamp: new Date().toISOString() }),
);

function wrap(sink: winston.Logger, base: Record<string, unknown>): Logger {
  const at =
    (level: string) =>
    (event: string, fields: LogFields = {}) => {
      if (!sink.isLevelEnabled(level)) return;
      sink.log({ level, message: event, ...base, ...serialize(fields) });
    };
  return {
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    child: (fields) => wrap(sink, { ...base, ...serialize(fields) }),
  };
}

/** Keeps fields that may be logged. An error has name, code and stack location; its message may contain data. */
export function serialize(fields: LogFields): Record<string, unknown> {
  const loggable: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) {
    const value = toLoggable(name, fields[name]);
    if (value !== undefined) loggable[name] = value;
  }
  return loggable;
}

function toLoggable(name: string, value: unknown): unknown {
  if (value === undefined) return undefined;
  if (name === 'error') return describeError(value);
  return allowedFields.has(name) ? clean(value) : undefined;
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value, 200);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (Array.isArray(value)) return value.slice(0, 50).map(clean);
  return undefined;
}

/** Replaces line breaks and other control characters: one event is one line, for every log reader. */
function cleanText(text: string, limit: number): string {
  const cut = text.length > limit ? text.slice(0, limit) : text;
  return hasControlCharacter.test(cut) ? cut.replace(controlCharacters, ' ') : cut;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters.
const controlCharacters = /[\u0000-\u001f\u007f\u2028\u2029]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same for `test`, because a global pattern has state.
const hasControlCharacter = /[\u0000-\u001f\u007f\u2028\u2029]/;

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { name: typeof error };
  const code = (error as { code?: unknown }).code;
  return {
    name: cleanText(error.name, 100),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    at: (error.stack ?? '')
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .slice(0, 6)
      .map((line) => cleanText(line.trim(), 200)),
  };
}

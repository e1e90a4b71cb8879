import winston from 'winston';

/** Fields that may stand in a log line, by name; anything else is dropped. Nothing secret or personal is among them. */
const allowedFields = new Set([
  'account_id',
  'app_id',
  'attempt',
  'attempts',
  'body_bytes',
  'call_id',
  'channel',
  'code',
  'count',
  'delivery',
  'due_in_ms',
  'duration_ms',
  'event',
  'event_id',
  'held_ms',
  'host',
  'integration_id',
  'isClean',
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
  'url',
  'version',
  'waits',
]);

export type LogFields = Record<string, unknown> & { error?: unknown };

/** JSON lines: `event` names what happened, the fields say to what. */
export type Logger = {
  error(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  debug(event: string, fields?: LogFields): void;
  /** A logger whose lines also carry these fields. */
  child(fields: LogFields): Logger;
};

export type LogOptions = {
  level: 'error' | 'warn' | 'info' | 'debug';
  /** The process that writes: api, worker, ... */
  process: string;
  /** Where lines go; standard output unless a test listens. */
  stream?: NodeJS.WritableStream;
};

export function createLogger({ level, process: name, stream }: LogOptions): Logger {
  const write = stream ? (line: string) => void stream.write(line) : createOutput();
  const format = winston.format.combine(winston.format.timestamp(), winston.format.json());
  const lowest = severities.indexOf(level);
  // winston's own logger hands each line through two streams, which cost more than making it.
  const sink: Sink = {
    takes: (each) => severities.indexOf(each) <= lowest,
    write(line) {
      const formatted = format.transform(line);
      if (typeof formatted === 'object') write(`${formatted[formattedLine]}\n`);
    },
  };
  return wrap(sink, { process: name });
}

type Level = LogOptions['level'];

const severities: readonly Level[] = ['error', 'warn', 'info', 'debug'];

/** Where winston's format keeps the line that it made. */
const formattedLine = Symbol.for('message');

/**
 * Writes the lines of one turn of the loop together: a line by itself costs more to write than to make. Standard output
 * takes them at once, so none is left when the process ends.
 */
function createOutput(): (line: string) => void {
  let lines: string[] = [];

  function flush(): void {
    const text = lines.join('');
    lines = [];
    if (text !== '') process.stdout.write(text);
  }

  process.once('exit', flush);
  return (line) => {
    if (lines.length === 0) setImmediate(flush);
    lines.push(line);
  };
}

type Line = { level: Level; message: string; [field: string]: unknown };
type Sink = { takes(level: Level): boolean; write(line: Line): void };

function wrap(sink: Sink, base: Record<string, unknown>): Logger {
  const at =
    (level: Level) =>
    (event: string, fields: LogFields = {}) => {
      if (sink.takes(level)) {
        sink.write({ level, message: event, ...base, ...serialize(fields) });
      }
    };
  return {
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    child: (fields) => wrap(sink, { ...base, ...serialize(fields) }),
  };
}

/** The fields that may be logged. An error gives its name, its code and where it was thrown; its message may quote data. */
export function serialize(fields: LogFields): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'error') kept['error'] = describeError(value);
    else if (allowedFields.has(name)) kept[name] = clean(value);
  }
  return kept;
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value, 200);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (Array.isArray(value)) return value.slice(0, 50).map(clean);
  return undefined;
}

/** No line breaks and no other control characters: one event is one line, also for what reads the line later. */
function cleanText(text: string, limit: number): string {
  return text.slice(0, limit).replace(controlCharacters, ' ');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const controlCharacters = /[\u0000-\u001f\u007f\u2028\u2029]/g;

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

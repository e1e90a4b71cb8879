import winston from 'winston';
import Transport from 'winston-transport';

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
  const sink = winston.createLogger({
    level,
    format: lineFormat(),
    transports: [stream ? new winston.transports.Stream({ stream }) : new OutputTransport()],
  });
  return wrap((line) => sink.log(line), { process: name });
}

/** Where winston keeps what its format made of a line. */
const formattedLine = Symbol.for('message');

/** What winston's own `timestamp` and `json` make, but that nobody needs the names sorted: a third of the price. */
const lineFormat = winston.format((line) => {
  // Only texts, numbers, booleans and lists of these come through `serialize`, so this does not throw.
  line[formattedLine] = JSON.stringify({ ...line, timestamp: new Date().toISOString() });
  return line;
});

/**
 * Writes the lines of one turn of the loop together: a line by itself costs more to write than to make. Standard output
 * takes them at once, so none is left when the process ends.
 */
class OutputTransport extends Transport {
  #lines: string[] = [];

  constructor() {
    super();
    process.once('exit', () => this.#write());
  }

  override log(line: { [formattedLine]?: string }, next: () => void): void {
    if (this.#lines.length === 0) setImmediate(() => this.#write());
    this.#lines.push(`${line[formattedLine]}\n`);
    next();
  }

  #write(): void {
    const text = this.#lines.join('');
    this.#lines = [];
    if (text !== '') process.stdout.write(text);
  }
}

type Line = { level: string; message: string; [field: string]: unknown };

function wrap(write: (line: Line) => void, base: Record<string, unknown>): Logger {
  const at =
    (level: string) =>
    (event: string, fields: LogFields = {}) =>
      write({ level, message: event, ...base, ...serialize(fields) });
  return {
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    child: (fields) => wrap(write, { ...base, ...serialize(fields) }),
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

import winston from 'winston';
import Transport from 'winston-transport';

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
  'url',
  'version',
  'waits',
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
    format: passThrough(),
    transports: [stream ? new winston.transports.Stream({ stream }) : new OutputTransport()],
  });
  const writeLines = (lines: string) => sink.log({ level, message: '', [formattedLine]: lines });
  // A test may close its stream at any time, so nothing is buffered for it.
  const write = stream ? writeLines : gatherLines(writeLines);
  const enabledLevels = new Set(
    Object.keys(sink.levels).filter((each) => sink.isLevelEnabled(each)),
  );
  return wrap(write, { base: { process: name }, enabledLevels });
}

/** The property where winston stores the formatted line. */
const formattedLine = Symbol.for('message');

const passThrough = winston.format((line) => line);

/**
 * Writes all lines of one iteration of the event loop together. Passing a single line through winston to the system costs
 * more than creating it. The rest is written when the process exits.
 */
function gatherLines(writeLines: (lines: string) => void): (line: string) => void {
  let lines: string[] = [];
  function flush(): void {
    const text = lines.join('\n');
    lines = [];
    if (text !== '') writeLines(text);
  }
  process.once('exit', flush);
  return (line) => {
    if (lines.length === 0) setImmediate(flush);
    lines.push(line);
  };
}

/** Writes to standard output synchronously, so that nothing is lost when the process exits. */
class OutputTransport extends Transport {
  override log(line: { [formattedLine]?: string }, next: () => void): void {
    process.stdout.write(`${line[formattedLine]}\n`);
    next();
  }
}

type WrapOptions = { base: Record<string, unknown>; enabledLevels: ReadonlySet<string> };

function wrap(write: (line: string) => void, { base, enabledLevels }: WrapOptions): Logger {
  const at = (level: string) => {
    const head = `{"level":"${level}","message":`;
    return (event: string, fields: LogFields = {}) => {
      if (!enabledLevels.has(level)) return;
      const members = writeBase(base, fields) + writeFields(fields);
      write(`${head}${JSON.stringify(event)}${members},"timestamp":"${new Date().toISOString()}"}`);
    };
  };
  return {
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    child: (fields) => wrap(write, { base: { ...base, ...serialize(fields) }, enabledLevels }),
  };
}

// Builds JSON members as text: creating an object for each line and extending it costs more than writing the line.

function writeBase(base: WrapOptions['base'], fields: LogFields): string {
  let text = '';
  for (const name of Object.keys(base)) {
    // A field of the line wins.
    if (toLoggable(name, fields[name]) === undefined)
      text += `,"${name}":${JSON.stringify(base[name])}`;
  }
  return text;
}

function writeFields(fields: LogFields): string {
  let text = '';
  for (const name of Object.keys(fields)) {
    const value = toLoggable(name, fields[name]);
    if (value !== undefined) text += `,"${name}":${JSON.stringify(value)}`;
  }
  return text;
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

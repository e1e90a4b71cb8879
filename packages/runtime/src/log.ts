import winston from 'winston';
import Transport from 'winston-transport';

/** Fields that may stand in a log line, by name; anything else is dropped. Nothing secret or personal is among them. */
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
    format: passThrough(),
    transports: [stream ? new winston.transports.Stream({ stream }) : new OutputTransport()],
  });
  const writeLines = (lines: string) => sink.log({ level, message: '', [formattedLine]: lines });
  // Whoever gives a stream may close it any time after a line.
  const write = stream ? writeLines : gatherLines(writeLines);
  const enabledLevels = new Set(
    Object.keys(sink.levels).filter((each) => sink.isLevelEnabled(each)),
  );
  return wrap(write, { base: { process: name }, enabledLevels });
}

/** Where winston keeps what its format made of a line. */
const formattedLine = Symbol.for('message');

const passThrough = winston.format((line) => line);

/**
 * Hands over the lines of one turn of the loop together: a line by itself costs more on its way through winston and to
 * the system than to make. What is left when the process ends is handed over then.
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

/** Standard output takes what it is given at once, so nothing is left when the process ends. */
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

// As members of a JSON object: to make that object for each line, and add to it, costs more than to write it.

function writeBase(base: WrapOptions['base'], fields: LogFields): string {
  let text = '';
  for (const name of Object.keys(base)) {
    // A line's own field wins.
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

/** The fields that may be logged. An error gives its name, its code and where it was thrown; its message may quote data. */
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

/** No line breaks and no other control characters: one event is one line, also for what reads the line later. */
function cleanText(text: string, limit: number): string {
  const cut = text.length > limit ? text.slice(0, limit) : text;
  return hasControlCharacter.test(cut) ? cut.replace(controlCharacters, ' ') : cut;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const controlCharacters = /[\u0000-\u001f\u007f\u2028\u2029]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same, to be asked of each text; one that is global remembers.
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

import type { Paint } from './paint';
import { type Call, type SeenMessage, showCall, showMessage, showSkip } from './show';

export type FeedDeps = {
  listMessages(ids: string[]): Promise<SeenMessage[]>;
  /** Skipped channels of these requests, with their reasons. */
  listSkips(requestIds: string[]): Promise<{ channel: string; reason: string }[]>;
  print(line: string): void;
  paint: Paint;
};

export type Feed = {
  /** Reads a line of a child's log. */
  read(program: string, line: string): void;
  /** Shows everything read so far; called by a timer. */
  show(): Promise<void>;
};

/** Maximum number of log lines per batch: beyond it, only their number is shown. */
export const maxLinesPerBatch = 40;
const settlements = ['attempt.closed', 'message.settled'];
const probes = ['/livez', '/readyz', 'none'];

/** Turns the children's log lines into one line per request and message. Addresses are read from PostgreSQL and masked. */
export function createFeed({ listMessages, listSkips, print, paint }: FeedDeps): Feed {
  let batch = createBatch();

  function read(program: string, line: string): void {
    if (batch.lineCount >= maxLinesPerBatch) {
      batch.hiddenLines += 1;
      return;
    }
    const fields = parse(line);
    if (fields) readFields(program, fields);
    else printLine(`${program}: ${line}`);
  }

  function readFields(program: string, fields: Fields): void {
    const { message, level } = fields;
    if (message === 'call') readCall(fields);
    else if (settlements.includes(text(message))) readMessage(fields);
    else if (level === 'warn' || level === 'error') readTrouble(program, fields);
  }

  function printLine(text: string): void {
    batch.lineCount += 1;
    print(text);
  }

  function readCall(fields: Fields): void {
    const call = toCall(fields);
    // A browser asks before each call of a page: the call itself has its own line.
    const isProbe = probes.includes(call.route) || call.method === 'OPTIONS';
    if (isProbe && call.status < 400) return;
    printLine(showCall(call, paint));
    if (call.method === 'POST' && call.status === 200) batch.requestIds.push(call.id);
  }

  function readMessage(fields: Fields): void {
    batch.lineCount += 1;
    batch.providers.set(text(fields['message_id']), text(fields['provider']) || undefined);
  }

  function readTrouble(program: string, { message, level, ...fields }: Fields): void {
    // Refusals are shown in the line of the request.
    if (message === 'call.refused') return;
    const { timestamp: _timestamp, process: _process, ...details } = fields;
    const mark = level === 'error' ? paint.red('!!') : paint.yellow('!');
    printLine(`${mark} ${program}: ${text(message)} ${paint.dim(JSON.stringify(details))}`);
  }

  async function show(): Promise<void> {
    const { providers, requestIds, hiddenLines } = batch;
    batch = createBatch();
    const [messages, skips] = await Promise.all([
      providers.size > 0 ? listMessages([...providers.keys()]) : [],
      requestIds.length > 0 ? listSkips(requestIds) : [],
    ]);
    for (const { channel, reason } of skips) print(showSkip(channel, reason, paint));
    for (const message of messages) {
      print(showMessage(message, providers.get(message.id), paint));
    }
    if (hiddenLines > 0)
      print(paint.dim(`   ... and ${hiddenLines.toLocaleString('en')} more lines`));
  }

  return { read, show };
}

type Fields = Record<string, unknown>;

function createBatch() {
  return {
    lineCount: 0,
    hiddenLines: 0,
    requestIds: [] as string[],
    providers: new Map<string, string | undefined>(),
  };
}

function parse(line: string): Fields | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    // Safe cast: a line that starts with a brace and is valid JSON is an object.
    return JSON.parse(line) as Fields;
  } catch {
    return undefined;
  }
}

function toCall(fields: Fields): Call {
  return {
    method: text(fields['method']),
    route: text(fields['route']),
    status: Number(fields['status']),
    durationMs: Number(fields['duration_ms']),
    id: text(fields['request_id']),
  };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

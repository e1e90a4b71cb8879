import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { createReader, type Flags, type Reader } from './readers.fixture';

export type Call = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
  /** Undefined if the call is refused. */
  userId: string | undefined;
};

/** Answers instead of the gateway; undefined lets it answer. */
type Fault = (call: Call, response: ServerResponse) => boolean | Promise<boolean>;

/** A gateway with the inbox routes alone, which refuses everything that their contract does not allow. */
export type TestGateway = Awaited<ReturnType<typeof startGateway>>;

export const appId = '01890a5d-ac96-774b-bcce-b302099a8057';
const apiKey = 'bk_test';
const inboxSecret = { id: 'secret-1', secret: 'a secret of the app' };
const root = `/v1/apps/${appId}/in_app_notifications/`;
const heartbeatMs = 200;

export async function startGateway() {
  const readers = new Map<string, Reader>();
  const revoked = new Set<string>();
  const streams = new Set<ServerResponse>();
  const calls: Call[] = [];
  const faults = new Set<Fault>();

  function getReader(userId: string): Reader {
    const reader = readers.get(userId) ?? createReader();
    readers.set(userId, reader);
    return reader;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (answerPreflight(request, response)) return;
    const call = await readCall(request);
    const userId = authenticate(call, revoked);
    calls.push({ ...call, userId });
    if (await isFaulty({ ...call, userId }, response)) return;
    if (!userId) send(response, 401, { code: 'unauthenticated' });
    else if (call.path === 'stream') stream(call, response, { reader: getReader(userId), streams });
    else send(response, ...answer(call, getReader(userId)));
  }

  async function isFaulty(call: Call, response: ServerResponse): Promise<boolean> {
    for (const fault of faults) if (await fault(call, response)) return true;
    return false;
  }

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    appId,
    calls,
    streams,
    getReader,
    sign: (userId: string) => createHmac('sha256', apiKey).update(userId).digest('hex'),
    issueToken: (userId: string) => signToken(userId, randomUUID()),
    revokeToken: (token: string) => void revoked.add(token),
    /** Until the returned function is called. */
    addFault(fault: Fault) {
      faults.add(fault);
      return () => void faults.delete(fault);
    },
    /** Breaks the connections, as a killed gateway does. */
    breakStreams() {
      for (const response of streams) response.destroy();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const allowedHeaders = 'Authorization, Content-Type, Last-Event-ID, X-Raven-User-Signature';

function answerPreflight(request: IncomingMessage, response: ServerResponse): boolean {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Expose-Headers', 'X-Request-Id, Retry-After');
  if (request.method !== 'OPTIONS') return false;
  response.setHeader('Access-Control-Allow-Methods', 'GET, POST, PUT');
  response.setHeader('Access-Control-Allow-Headers', allowedHeaders);
  response.writeHead(204).end();
  return true;
}

type RawCall = Omit<Call, 'userId'>;

async function readCall(request: IncomingMessage): Promise<RawCall> {
  const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://gateway');
  const { method = '', headers } = request;
  const text = await readText(request);
  const body = text ? JSON.parse(text) : {};
  const path = pathname.startsWith(root) ? pathname.slice(root.length) : pathname;
  return { method, path, query, headers, body };
}

/** The user of a token, or of a signature. */
function authenticate({ headers, query }: RawCall, revoked: Set<string>): string | undefined {
  const userId = query.get('user_id') ?? undefined;
  const [scheme, token = ''] = headers.authorization?.split(' ') ?? [];
  if (scheme === 'Bearer') {
    const owner = revoked.has(token) ? undefined : verifyToken(token);
    return userId === undefined || userId === owner ? owner : undefined;
  }
  const signature = createHmac('sha256', apiKey)
    .update(userId ?? '')
    .digest('hex');
  return headers['x-raven-user-signature'] === signature ? userId : undefined;
}

/** A JWT (RFC 7519) as a backend signs it; `id` makes it unique. */
function signToken(userId: string, id: string): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1_000) + 600;
  const header = encode({ alg: 'HS256', typ: 'JWT', kid: inboxSecret.id });
  const signed = `${header}.${encode({ sub: userId, app: appId, exp, jti: id })}`;
  return `${signed}.${createMac(signed)}`;
}

function verifyToken(token: string): string | undefined {
  const [header = '', claims = '', mac] = token.split('.');
  if (mac !== createMac(`${header}.${claims}`)) return undefined;
  const decode = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString());
  const { alg, kid } = decode(header);
  const { sub, app, exp } = decode(claims);
  const isRight = alg === 'HS256' && kid === inboxSecret.id && app === appId;
  return isRight && exp > Date.now() / 1_000 ? sub : undefined;
}

function createMac(text: string): string {
  return createHmac('sha256', inboxSecret.secret).update(text).digest('base64url');
}

export function send(response: ServerResponse, status: number, body: object): void {
  const text = status < 400 ? body : { success: false, error: `status ${status}`, ...body };
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(text));
}

type Answer = [status: number, body: object];

const invalid: Answer = [422, { code: 'validation_failed' }];

function answer(call: RawCall, reader: Reader): Answer {
  const [collection, messageId] = call.path.split('/');
  if (collection !== 'items') return [404, { code: 'not_found' }];
  if (call.method === 'PUT') return changeItems(call, reader, messageId);
  return call.method === 'GET' && !messageId ? listItems(call, reader) : [404, {}];
}

function changeItems({ body }: RawCall, reader: Reader, messageId: string | undefined): Answer {
  const { up_to: upTo, ...flags } = body as Flags & { up_to?: string };
  if (Object.values(flags).some((flag) => typeof flag !== 'boolean')) return invalid;
  const item = reader.find(decodeURIComponent(messageId ?? upTo ?? ''));
  if (!item) return [404, { code: 'message_not_found' }];
  if (messageId) {
    reader.change([item], flags);
    return [200, item];
  }
  const bounded = reader.items.slice(0, reader.items.indexOf(item) + 1);
  const open = bounded.filter(({ archived_at }) => archived_at === null);
  reader.change(open, flags);
  return [200, { changed: open.length, counts: reader.count() }];
}

function listItems({ query }: RawCall, reader: Reader): Answer {
  const limit = Number(query.get('limit') ?? 20);
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= 100)) return invalid;
  const [before, after] = ['before', 'after'].map((name) => {
    const cursor = query.get(name);
    return cursor === null ? undefined : (reader.readCursor(cursor) ?? Number.NaN);
  });
  if (Number.isNaN(before) || Number.isNaN(after)) return invalid;
  const isArchived = query.get('archived') === 'true';
  const listed = reader.items
    .map((item, index) => ({ item, index }))
    .filter(({ item }) => (item.archived_at !== null) === isArchived);
  const page =
    after === undefined
      ? listed.filter(({ index }) => index < (before ?? reader.items.length)).slice(-limit)
      : listed.filter(({ index }) => index > after).slice(0, limit);
  const [oldest] = page;
  const hasOlder = oldest !== undefined && listed.some(({ index }) => index < oldest.index);
  const body = {
    items: page.map(({ item }) => item).toReversed(),
    ...(hasOlder && { before: reader.writeCursor(oldest.index) }),
    after: reader.writeCursor(page.at(-1)?.index ?? after ?? -1),
    counts: reader.count(),
    stream: reader.getLastEventId(),
  };
  return [200, body];
}

type StreamContext = { reader: Reader; streams: Set<ServerResponse> };

function stream(call: RawCall, response: ServerResponse, { reader, streams }: StreamContext): void {
  const resumed = call.headers['last-event-id'] ?? call.query.get('last_event_id');
  response.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store, no-transform',
    'X-Accel-Buffering': 'no',
  });
  response.write('retry: 1000\n\n');
  const write = ({ id, event, data }: { id?: string; event: string; data: object }) =>
    response.write(`${id ? `id: ${id}\n` : ''}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  const missed = typeof resumed === 'string' ? reader.listEventsAfter(resumed) : [];
  const id = reader.getLastEventId();
  if (missed) missed.forEach(write);
  else write({ event: 'reset', data: {} });
  write({ id, event: 'counts', data: reader.count() });
  reader.listeners.add(write);
  streams.add(response);
  const heartbeat = setInterval(() => response.write(':\n\n'), heartbeatMs);
  response.on('close', () => {
    clearInterval(heartbeat);
    reader.listeners.delete(write);
    streams.delete(response);
  });
}

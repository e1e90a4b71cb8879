import http, { type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '@belfry/runtime';
import { eventually, type ReaderSecret, signReaderToken } from '@belfry/testing';
import type { StoredGateway } from '../stored-gateway.fixture';

export type StreamEvent = { event: string; id: string | undefined; data: Record<string, unknown> };

export type Followed = {
  status: number;
  headers: http.IncomingHttpHeaders;
  /** Without comments and `retry`. */
  events: StreamEvent[];
  /** Everything received, as text. */
  readText(): string;
  isEnded(): boolean;
  /** Resolves when this many events have come. */
  waitForEvents(count: number, timeoutMs?: number): Promise<StreamEvent[]>;
  close(): void;
};

export type FollowOptions = { query?: Record<string, string>; headers?: Record<string, string> };

/** Opens a stream, or gets a refusal, and reads it as it comes. */
export async function follow(
  { server }: Pick<StoredGateway, 'server'>,
  appId: string,
  { query = {}, headers = {} }: FollowOptions,
): Promise<Followed> {
  const { port } = server.address() as AddressInfo;
  const search = new URLSearchParams(query);
  const path = `/v1/apps/${appId}/in_app_notifications/stream?${search}`;
  const request = http.get({ host: '127.0.0.1', port, path, agent: false, headers });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
  });
  let text = '';
  let isEnded = false;
  const events: StreamEvent[] = [];
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    text += chunk;
    events.splice(0, events.length, ...parseEvents(text));
  });
  response.on('error', () => undefined);
  response.on('close', () => {
    isEnded = true;
  });
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    readText: () => text,
    isEnded: () => isEnded,
    waitForEvents: (count, timeoutMs = 10_000) =>
      eventually(
        () => {
          if (events.length < count)
            throw new Error(`${events.length} of ${count} events: ${text}`);
          return events;
        },
        { timeoutMs, intervalMs: 5 },
      ),
    close: () => request.destroy(),
  };
}

/** Only complete events: each ends with an empty line. */
function parseEvents(text: string): StreamEvent[] {
  const blocks = text.split('\n\n').slice(0, -1);
  return blocks.flatMap((block) => {
    const fields = new Map(
      block.split('\n').map((line) => {
        const colon = line.indexOf(': ');
        return [line.slice(0, colon), line.slice(colon + 2)] as const;
      }),
    );
    const event = fields.get('event');
    if (event === undefined) return [];
    return [{ event, id: fields.get('id'), data: JSON.parse(fields.get('data') ?? 'null') }];
  });
}

/** The members of all answers that tests read. */
type AnswerBody = {
  items: { message_id: string; status: string }[];
  notifications: object[];
  after: string;
  before: string;
  stream: string;
  status: string;
  unread: number;
  code: string;
  error: string;
};

type SignedAnswer = { status: number; body: AnswerBody };

export type SignedReader = {
  appId: string;
  userId: string;
  token: string;
  follow(options?: FollowOptions): Promise<Followed>;
  /** Adds an item without a message; returns its message ID. Nothing announces it. */
  addItem(title?: string): Promise<string>;
  call(method: string, path: string, body?: object): Promise<SignedAnswer>;
};

/** A reader of the app, signed in with a token. */
export function createSignedReader(
  gateway: StoredGateway,
  appId: string,
  { secret, name = 'reader' }: { secret: ReaderSecret; name?: string },
): SignedReader {
  const userId = `${name}-${newId()}`;
  const token = signReaderToken(secret, { appId, userId });
  const authorization = { Authorization: `Bearer ${token}` };
  return {
    appId,
    userId,
    token,
    follow: ({ query, headers } = {}) =>
      follow(gateway, appId, {
        ...(query && { query }),
        headers: { ...authorization, ...headers },
      }),
    async addItem(title = 'Hello') {
      const ids = { id: newId(), messageId: newId(), appId, userId };
      const content = { title, body: '', data: {} };
      await gateway.database.prisma.inboxItem.create({ data: { ...ids, content } });
      return ids.messageId;
    },
    async call(method, path, body) {
      const { port } = gateway.server.address() as AddressInfo;
      const url = `http://127.0.0.1:${port}/v1/apps/${appId}/in_app_notifications/${path}`;
      const response = await fetch(url, {
        method,
        headers: { ...authorization, 'Content-Type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      // Every answer is a JSON object.
      return { status: response.status, body: (await response.json()) as AnswerBody };
    },
  };
}

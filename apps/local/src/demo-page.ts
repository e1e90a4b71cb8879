import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';

export type DemoPageInput = {
  /** The repository's folder. */
  root: string;
  port: number;
  apiUrl: string;
  apiKey: string;
  inboxAppId: string;
  inboxEventName: string;
  inboxSecret: { id: string; secret: string };
};

export type DemoPage = { close(): Promise<void> };

const host = '127.0.0.1';
const userId = 'demo-user';
const maxBodyBytes = 1_000;
const callTimeoutMs = 10_000;
const firstOrder = 1_001;
const tokenSeconds = 600;

const files: Record<string, { file: string; type: string }> = {
  '/': { file: 'apps/local/page/index.html', type: 'text/html; charset=utf-8' },
  '/icon.svg': { file: 'apps/local/page/icon.svg', type: 'image/svg+xml' },
  '/page.css': { file: 'apps/local/page/page.css', type: 'text/css; charset=utf-8' },
  '/page.js': { file: 'apps/local/page/page.js', type: 'text/javascript; charset=utf-8' },
  '/inbox.js': { file: 'packages/inbox/dist/inbox.min.js', type: 'text/javascript; charset=utf-8' },
};

/** Serves a page with the inbox of a demo user. The API key and the secret stay here: the page gets only tokens of this user. */
export async function startDemoPage(input: DemoPageInput): Promise<DemoPage> {
  const sendEvent = createSendEvent(input);

  const routes: Record<string, Handler> = {
    'GET /session': async (_request, response) => sendJson(response, 200, toSession(input)),
    'GET /token': async (_request, response) =>
      sendJson(response, 200, { token: signToken(input) }),
    async 'POST /send'(request, response) {
      // Another site cannot send this type without permission, which nobody gives it.
      const isJson = request.headers['content-type'] === 'application/json';
      const result = isJson ? await sendEvent(await readBody(request)) : notJson;
      sendJson(response, ...result);
    },
  };
  for (const [url, file] of Object.entries(files)) {
    routes[`GET ${url}`] = (_request, response) => sendFile(response, input, file);
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const route = routes[`${request.method} ${request.url}`];
    if (!isOwnHost(request, input.port)) sendJson(response, 403, { error: 'Wrong host' });
    else if (route) await route(request, response);
    else sendJson(response, 404, { error: 'Not found' });
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => {
      if (!response.headersSent) sendJson(response, 502, { error: error.message });
    });
  });
  server.listen(input.port, host);
  await once(server, 'listening');
  return {
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;
type SendResult = [status: number, body: object];

const notJson: SendResult = [415, { error: 'Send application/json' }];

/** A site that resolves its own name to this machine must not read the session. */
function isOwnHost({ headers }: IncomingMessage, port: number): boolean {
  return [`${host}:${port}`, `localhost:${port}`].includes(headers.host ?? '');
}

async function sendFile(
  response: ServerResponse,
  { root, apiUrl }: DemoPageInput,
  { file, type }: { file: string; type: string },
): Promise<void> {
  const content = await readFile(path.join(root, file));
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src 'self' ${new URL(apiUrl).origin}`,
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  response.setHeader('Content-Security-Policy', policy.join('; '));
  response.writeHead(200, { 'Content-Type': type, ...commonHeaders }).end(content);
}

const commonHeaders = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

function sendJson(response: ServerResponse, status: number, body: object): void {
  const headers = { 'Content-Type': 'application/json', ...commonHeaders };
  response.writeHead(status, headers).end(JSON.stringify(body));
}

/** The options of `createInbox`, without `getToken`. */
function toSession({ apiUrl, inboxAppId }: DemoPageInput): object {
  return { url: apiUrl, appId: inboxAppId, userId };
}

/** A JWT for the demo user. `docs/how-to/show-an-inbox.md` describes it. */
function signToken({ inboxAppId, inboxSecret: { id, secret } }: DemoPageInput): string {
  const exp = Math.floor(Date.now() / 1_000) + tokenSeconds;
  const signed = [
    { alg: 'HS256', typ: 'JWT', kid: id },
    { sub: userId, app: inboxAppId, exp },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

async function readBody(request: IncomingMessage): Promise<{ user_name?: unknown }> {
  const length = Number(request.headers['content-length']);
  if (!(length <= maxBodyBytes)) throw new Error(`The body has over ${maxBodyBytes} bytes`);
  return JSON.parse(await readText(request));
}

function createSendEvent({ apiUrl, apiKey, inboxAppId, inboxEventName }: DemoPageInput) {
  let order = firstOrder;
  return async function sendEvent({ user_name: userName }: { user_name?: unknown }) {
    const body = {
      event: inboxEventName,
      user: { user_id: userId },
      data: { user_name: String(userName ?? ''), order: { id: `A-${order}` } },
    };
    order += 1;
    const response = await fetch(`${apiUrl}/v1/apps/${inboxAppId}/events/send`, {
      method: 'POST',
      headers: { Authorization: `AuthKey ${apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(callTimeoutMs),
    });
    const result: SendResult = [response.status, (await response.json()) as object];
    return result;
  };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  channelVersion,
  eventually,
  findClosedPort,
  type System,
  startSystem,
  type Tenant,
} from '@belfry/testing';
import { Webhook } from 'standardwebhooks';

jest.setTimeout(120_000);

const root = path.resolve(__dirname, '../../..');
const text = readFileSync(path.join(root, 'docs/how-to/receive-webhooks.md'), 'utf8');

/** Serves the handler of Next.js, a function of a Request, without Next.js. */
const serveRoute = `
import { createServer } from 'node:http';
import { POST } from './route.mjs';

createServer(async (request, response) => {
  if (request.method !== 'POST') return response.writeHead(405).end();
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method, headers } = request;
  const answer = await POST(new Request('http://a/', { method, headers, body: Buffer.concat(chunks) }));
  response.writeHead(answer.status).end(await answer.text());
}).listen(Number(process.env.PORT));
`;

let system: System;
let dir: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  system = await startSystem();
  dir = mkdtempSync(path.join(tmpdir(), 'belfry-receiving-'));
  symlinkSync(path.join(root, 'node_modules'), path.join(dir, 'node_modules'));
  for (const [, name = '', code = ''] of text.matchAll(/^```js\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)) {
    writeFileSync(path.join(dir, name), code);
  }
  writeFileSync(path.join(dir, 'serve-route.mjs'), serveRoute);
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
  await system.stop();
});

type Handler = { url: string; output(): string };

async function startHandler(file: string, secret: string, port: number): Promise<Handler> {
  const child = spawn(process.execPath, [path.join(dir, file)], {
    cwd: dir,
    env: { PORT: String(port), BELFRY_WEBHOOK_SECRET: secret },
  });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const url = `http://127.0.0.1:${port}/hooks/belfry`;
  await eventually(async () => {
    const answered = await fetch(url).then(
      () => true,
      () => false,
    );
    expect([output, answered]).toEqual([output, true]);
  });
  return { url, output: () => output };
}

/** Sends an e-mail to an address of the sandbox that fails. */
async function sendFailing(tenant: Tenant): Promise<void> {
  const version = { email: channelVersion({ subject: 'Hi', text: 'Hello' }) };
  const { name } = await system.factories.createEvent(tenant, version);
  const user = { user_id: 'customer-1', email: 'sandbox+bounce@example.com' };
  await system.send(tenant, { event: name, user });
}

describe.each([
  ['Express', 'express.mjs'],
  ['Fastify', 'fastify.mjs'],
  ['Next.js', 'serve-route.mjs'],
])('the handler for %s in docs/how-to/receive-webhooks.md', (_name, file) => {
  test('accepts the webhooks of Belfry, handles each once, and refuses forged ones', async () => {
    const tenant = await system.factories.createTenant();
    const port = await findClosedPort();
    const endpoint = { url: `http://127.0.0.1:${port}/hooks/belfry` };
    const { id, secret } = await system.factories.createWebhookEndpoint(tenant, endpoint);
    const handler = await startHandler(file, secret, port);
    await sendFailing(tenant);
    const { webhookDelivery } = system.database.prisma;
    const where = { endpointId: id, type: 'message.failed' };
    await eventually(async () =>
      expect(await webhookDelivery.findFirst({ where })).toMatchObject({ outcome: 'delivered' }),
    );
    const line = 'Message to customer-1 failed: rejected_recipient';
    expect(handler.output()).toContain(line);

    const delivery = await webhookDelivery.findFirstOrThrow({ where });
    const body = JSON.stringify({ type: 'message.failed', data: { user_id: 'customer-1' } });
    const sign = (key: string, content = body) => ({
      'content-type': 'application/json',
      'webhook-id': delivery.id,
      'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
      'webhook-signature': new Webhook(key).sign(delivery.id, new Date(), content),
    });
    const post = async (headers: Record<string, string>) =>
      (await fetch(handler.url, { method: 'POST', headers, body })).status;
    // The same ID again.
    expect(await post(sign(secret))).toBe(204);
    expect(handler.output().split(line)).toHaveLength(2);
    const other = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    expect(await post(sign(other))).toBe(400);
    expect(await post(sign(secret, '{}'))).toBe(400);
  });
});

import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { AnyChannel } from '@belfry/channels';
import { integrationPlace } from '@belfry/database';
import { buildReceiptUrl, createKeyRing, createSecrets, newId } from '@belfry/runtime';
import { createApiKey, parseApiKey } from '@belfry/shared';
import { eventually } from '@belfry/testing';
import type { ApiDeps } from './app';
import {
  close,
  connect,
  createGateway,
  listen,
  noDownloads,
  otherAppId,
  parseBody,
  sendPath,
} from './gateway.fixture';

const publicUrl = 'https://notify.example.com';
const secrets = createSecrets(createKeyRing());
const integration = {
  ...{ id: newId(), appId: otherAppId, name: 'main', channel: 'toy', provider: 'post' },
  ...{ settings: {}, credentials: '', state: 'active' as const, updatedAt: new Date() },
};
integration.credentials = secrets.seal('{}', integrationPlace(integration.id));
const receiptPath = buildReceiptUrl({
  ...{ publicUrl, secrets, integrationId: integration.id, messageId: 'm1' },
}).slice(publicUrl.length);
// The route uses only the receipt readers of a channel's providers.
const toy = { providers: { post: { receipts: { read: () => [] } } } } as unknown as AnyChannel;

const defaults = { maxBodyBytes: 10_000_000, maxBodiesInMemoryBytes: 64_000_000 };
const patient = { timeoutMs: 30_000, windowMs: 30_000, minBytes: 80_000 };

let server: Server | undefined;
afterEach(async () => {
  if (server) await close(server);
  server = undefined;
});

/** A gateway with two accounts, each with a key and an app. */
async function start({
  bodies = { ...defaults, pace: patient } as ApiDeps['bodies'],
  sendEvent = (async () => ({ isWritten: true })) as ApiDeps['sendEvent'],
} = {}) {
  const otherKey = createApiKey();
  const gateway = createGateway({
    ...{ bodies, sendEvent, publicUrl },
    findApiKey: async (id) => {
      const { secretHash = Buffer.alloc(0) } = parseApiKey(gateway.key) ?? {};
      if (id === gateway.keyId) return { accountId: 'account_1', secretHash };
      return id === otherKey.id
        ? { accountId: 'account_2', secretHash: otherKey.secretHash }
        : undefined;
    },
    receipts: {
      ...{
        channels: { toy },
        secrets,
        storeReceipts: async () => [],
        storeReplies: async () => [],
        storeMailSignature: async () => undefined,
      },
      findIntegration: async () => integration,
      downloads: noDownloads,
    },
  });
  server = gateway.server;
  const port = await listen(gateway.server);
  const open = (path: string, headers: string[]) => {
    const { socket, answer: all } = connect(port);
    // A refused upload stays open for a second after its answer.
    const answer = Promise.race([all, readAnswer(socket)]);
    const lines = [
      `POST ${path} HTTP/1.1`,
      'Host: h',
      'Content-Type: application/json',
      ...headers,
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    return { socket, answer };
  };
  const auth = {
    mine: `Authorization: ${gateway.auth}`,
    theirs: `Authorization: AuthKey ${otherKey.key}`,
  };
  return { gateway, port, open, auth, key: otherKey.key };
}

type Gateway = Awaited<ReturnType<typeof start>>;

/** An upload with the attacker's key that declares more bytes than it sends. */
function stall({ open, auth }: Gateway, { declared = 9_900_000, sent = 9_890_000 } = {}) {
  const headers = [auth.mine, 'Connection: close', `Content-Length: ${declared}`];
  const upload = open(sendPath, headers);
  upload.socket.on('error', () => undefined).write(Buffer.alloc(sent, 0x20));
  return upload;
}

/** Resolves with an answer as soon as its body is complete. */
function readAnswer(socket: Socket): Promise<string> {
  let text = '';
  return new Promise((resolve) => {
    socket.on('data', (chunk) => {
      text += String(chunk);
      const [head = '', body] = text.split('\r\n\r\n');
      const length = Number(/^Content-Length: (\d+)/im.exec(head)?.[1]);
      if (body !== undefined && body.length >= length) resolve(text);
    });
  });
}

async function readStatus(upload: { answer: Promise<string> }): Promise<string> {
  const text = await upload.answer;
  return `${text.slice(9, 12)} ${text === '' ? '' : (parseBody(text)['code'] ?? '')}`.trim();
}

/** Status and code of calls by another account, its providers and its front ends. */
function callAsOthers({ open, auth, key }: Gateway): Promise<string[]> {
  const theirSend = sendPath.replace(/apps\/[^/]+/, `apps/${otherAppId}`);
  const call = (path: string, header: string, body: string) => {
    const upload = open(path, [header, 'Connection: close', `Content-Length: ${body.length}`]);
    upload.socket.write(body);
    return readStatus(upload);
  };
  const bodyOfBytes = (bytes: number) =>
    JSON.stringify({ event: 'e'.padEnd(10), filler: 'x'.repeat(bytes) });
  const signature = createHmac('sha256', key).update('someone-else').digest('hex');
  return Promise.all([
    call(theirSend, auth.theirs, bodyOfBytes(1_000_000)),
    call(theirSend, auth.theirs, bodyOfBytes(1_000)),
    call(receiptPath, 'X-A: a', bodyOfBytes(1_000)),
    call(
      `/v1/apps/${otherAppId}/in_app_notifications/fetch`,
      `X-Raven-User-Signature: ${signature}`,
      JSON.stringify({ user_id: 'someone' }),
    ),
  ]);
}

/** The signature is for another user. Detecting that requires the body, so it was read. */
const allAnswered = ['200', '200', '200', '401 unauthenticated'];

describe('eight stalled uploads of one key', () => {
  test('delay no call of another account, no receipt and no inbox, and hold one body', async () => {
    const started = await start();
    const uploads = Array.from({ length: 8 }, () => stall(started));
    const statuses: string[] = [];
    for (const each of uploads) void readStatus(each).then((status) => statuses.push(status));
    await eventually(async () => expect(statuses).toEqual(Array(7).fill('429 rate_limited')));
    expect(await callAsOthers(started)).toEqual(allAnswered);
  });

  test('leave memory for small bodies of their own account', async () => {
    const started = await start();
    stall(started);
    const body = '{"event":"e"}';
    const { open, auth } = started;
    const small = open(sendPath, [
      auth.mine,
      'Connection: close',
      `Content-Length: ${body.length}`,
    ]);
    small.socket.write(body);
    expect(await readStatus(small)).toBe('200');
  });

  test('are refused without 100 Continue', async () => {
    const started = await start();
    stall(started);
    const { open, auth } = started;
    const asking = open(sendPath, [auth.mine, 'Expect: 100-continue', 'Content-Length: 9900000']);
    const [first] = await once(asking.socket, 'data');
    expect(String(first)).toMatch(/^HTTP\/1\.1 429 .*\r\nRetry-After: 1\r\n/s);
    asking.socket.destroy();
  });
});

describe('stalled chunked bodies', () => {
  test('hold at most the share of their account', async () => {
    const started = await start();
    const { open, auth } = started;
    const piece = Buffer.alloc(3_000_000, 0x20);
    const uploads = Array.from({ length: 8 }, () => {
      const upload = open(sendPath, [auth.mine, 'Transfer-Encoding: chunked']);
      upload.socket.on('error', () => undefined).write(`${piece.length.toString(16)}\r\n`);
      upload.socket.write(piece);
      return upload;
    });
    const statuses: string[] = [];
    for (const each of uploads) void readStatus(each).then((status) => statuses.push(status));
    await eventually(async () => expect(statuses.length).toBeGreaterThanOrEqual(6));
    expect(new Set(statuses)).toEqual(new Set(['429 rate_limited']));
    expect(await callAsOthers(started)).toEqual(allAnswered);
  });
});

describe('many tiny stalled bodies of one key', () => {
  test('are refused beyond the share of their account, and delay no other account', async () => {
    const bodies = { maxBodyBytes: 1_100_000, maxBodiesInMemoryBytes: 4_400_000, pace: patient };
    const started = await start({ bodies });
    const uploads = Array.from({ length: 320 }, () => stall(started, { declared: 100, sent: 1 }));
    const statuses: string[] = [];
    for (const each of uploads) void readStatus(each).then((status) => statuses.push(status));
    // The reserve for small bodies has 550 KB, of which the account may use an eighth. Its share of the rest is 1.1 MB.
    await eventually(async () => expect(statuses.length).toBeGreaterThan(30));
    expect(new Set(statuses)).toEqual(new Set(['429 rate_limited']));
    expect(await callAsOthers(started)).toEqual(allAnswered);
  });
});

describe('the memory of a body', () => {
  const large = JSON.stringify({ event: 'e', filler: 'x'.repeat(9_000_000) });

  async function isWhole({ open, auth }: Gateway): Promise<void> {
    await eventually(async () => {
      const upload = open(sendPath, [
        auth.mine,
        'Connection: close',
        `Content-Length: ${large.length}`,
      ]);
      upload.socket.on('error', () => undefined).write(large);
      expect(await readStatus(upload)).toBe('200');
    });
  }

  test('is released when the caller disconnects in the middle of it', async () => {
    const started = await start();
    for (let time = 0; time < 3; time += 1) {
      const upload = stall(started);
      await once(upload.socket, 'connect');
      await eventually(async () => expect((await isRefused(started)).slice(0, 3)).toBe('429'));
      upload.socket.destroy();
      await isWhole(started);
    }
  });

  test('is released when a connection with pipelined calls ends', async () => {
    let arrived = 0;
    const started = await start({
      sendEvent: ({ eventName }) => {
        arrived += 1;
        return eventName === 'e'
          ? Promise.resolve({ isWritten: true })
          : new Promise(() => undefined);
      },
    });
    const { open, auth } = started;
    const body = JSON.stringify({ event: 'never', filler: 'x'.repeat(2_000_000) });
    const head = (path: string) => [
      ...[`POST ${path} HTTP/1.1`, 'Host: h', 'Content-Type: application/json'],
      ...[auth.mine, `Content-Length: ${body.length}`],
    ];
    const { socket } = open(sendPath, [auth.mine, `Content-Length: ${body.length}`]);
    socket.on('error', () => undefined);
    socket.write(body);
    for (let call = 1; call < 4; call += 1)
      socket.write(`${head(sendPath).join('\r\n')}\r\n\r\n${body}`);
    await eventually(async () => expect(arrived).toBe(4));
    expect(await isRefused(started)).toBe('429 rate_limited');
    socket.destroy();
    await isWhole(started);
  });

  function isRefused({ open, auth }: Gateway): Promise<string> {
    const upload = open(sendPath, [
      auth.mine,
      'Connection: close',
      `Content-Length: ${large.length}`,
    ]);
    const answer = readStatus(upload);
    setTimeout(() => upload.socket.end(), 20);
    return answer;
  }
});

describe('a slow body', () => {
  const pace = { timeoutMs: 10_000, windowMs: 200, minBytes: 1_000 };

  async function drip(socket: Socket, { bytes, times }: { bytes: number; times: number }) {
    for (let time = 0; time < times && !socket.destroyed; time += 1) {
      socket.write(Buffer.alloc(bytes, 0x20));
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
  }

  test.each([
    ['sends nothing', 0, 0],
    ['sends most of it and then stalls', 9_000_000, 0],
    ['drips below the minimum rate', 1, 50],
  ])('gets 408 and releases its memory if it %s', async (_, sent, drips) => {
    const started = await start({ bodies: { ...defaults, pace } });
    const upload = stall(started, { sent });
    void drip(upload.socket, { bytes: 1, times: drips });
    expect(await readStatus(upload)).toBe('408 request_timeout');
    const next = stall(started);
    expect(await readStatus(next)).toBe('408 request_timeout');
  });

  test('is read if it keeps the minimum rate over many windows', async () => {
    const started = await start({ bodies: { ...defaults, pace } });
    const { open, auth } = started;
    const upload = open(sendPath, [auth.mine, 'Connection: close', 'Content-Length: 20013']);
    await drip(upload.socket, { bytes: 1_000, times: 20 });
    upload.socket.write('{"event":"e"}');
    expect(await readStatus(upload)).toBe('200');
  });
});

import type { AnyChannel, ReceiptReader } from '@belfry/channels';
import { type IntegrationRow, integrationPlace } from '@belfry/database';
import type { NewReceipt } from '@belfry/pipeline/operate';
import { buildReceiptUrl, createKeyRing, createSecrets, newId } from '@belfry/runtime';
import request from 'supertest';
import { createGateway, noDownloads } from '../gateway.fixture';

const secrets = createSecrets(createKeyRing());
const publicUrl = 'https://notify.example.com';
const integration: IntegrationRow = {
  id: newId(),
  appId: newId(),
  name: 'main',
  channel: 'toy',
  provider: 'post',
  settings: { sender: 'S' },
  credentials: '',
  state: 'active',
  updatedAt: new Date(),
};
integration.credentials = secrets.seal('{"key":"k"}', integrationPlace(integration.id));
const address = buildReceiptUrl({
  publicUrl,
  secrets,
  integrationId: integration.id,
  messageId: 'm1',
});
const path = address.slice(publicUrl.length);

/** A call is signed if its body contains the integration's key. */
const reader: ReceiptReader = {
  handshake: ({ credentials, query }) =>
    query.get('key') === credentials['key'] ? (query.get('challenge') ?? '') : undefined,
  read({ credentials, rawBody, url }) {
    const { key, states } = JSON.parse(rawBody.toString());
    if (key !== credentials['key']) return undefined;
    const messageId = new URL(url).searchParams.get('message') ?? '';
    return states.map((state: 'sent') => ({
      messageId,
      state,
      identity: state,
      changes: [{ change: 'suppress', reason: 'opted_out', sender: 'S' }],
    }));
  },
};

// The route uses only the receipt readers of a channel's providers.
const toy = { providers: { post: { receipts: reader }, silent: {} } } as unknown as AnyChannel;

function setUp(storedIntegration: IntegrationRow | undefined = integration) {
  const storedReceipts: NewReceipt[] = [];
  const gateway = createGateway({
    publicUrl,
    receipts: {
      channels: { toy },
      secrets,
      downloads: noDownloads,
      findIntegration: async (id) => (id === storedIntegration?.id ? storedIntegration : undefined),
      storeMailSignature: async () => undefined,
      storeReceipts: async (receipts) => {
        storedReceipts.push(...receipts);
        return receipts.map(({ messageId }) => ({ isRepeat: false, messageId, movedTo: 'sent' }));
      },
      storeReplies: async ({ replies }) => replies.map(() => ({ counts: true })),
    },
  });
  return { ...gateway, written: storedReceipts };
}

const body = (states: string[], key = 'k') => JSON.stringify({ key, states });

describe('a call of a provider', () => {
  test('that is signed is stored once for each report, with the facts about the address', async () => {
    const { server, written: storedReceipts, lines } = setUp();
    const answer = await request(server)
      .post(path)
      .send(body(['sent', 'delivered']));
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ success: true });
    expect(storedReceipts).toMatchObject([
      { messageId: 'm1', state: 'sent', appId: integration.appId, integrationId: integration.id },
      { messageId: 'm1', state: 'delivered' },
    ]);
    expect(storedReceipts.map(({ changes }) => changes)).toMatchObject([
      [{ change: 'suppress' }],
      [{ change: 'suppress' }],
    ]);
    expect(lines.filter(({ message }) => message === 'receipt.stored')).toHaveLength(2);
  });

  test('has its raw body stored once, however many reports it has', async () => {
    const { server, written: storedReceipts } = setUp();
    const sent = body(['sent', 'delivered', 'read']);
    await request(server).post(path).send(sent);
    expect(storedReceipts.map(({ body: storedBody }) => storedBody)).toEqual([sent, '', '']);
  });

  test('is verified with the public URL, whatever host it was sent to', async () => {
    const { server, written: storedReceipts } = setUp();
    await request(server)
      .post(path)
      .set('Host', 'elsewhere')
      .send(body(['sent']));
    expect(storedReceipts).toHaveLength(1);
  });

  test('needs no API key and no content type', async () => {
    const { server } = setUp();
    const answer = await request(server)
      .post(path)
      .set('Content-Type', 'application/x-www-form-urlencoded')
      .send(body(['sent']));
    expect(answer.status).toBe(200);
  });

  test('that reports nothing gets 200 and stores nothing', async () => {
    const { server, written: storedReceipts } = setUp();
    expect((await request(server).post(path).send(body([]))).status).toBe(200);
    expect(storedReceipts).toEqual([]);
  });

  test('that is not signed by this integration’s provider is refused and stores nothing', async () => {
    const { server, written: storedReceipts } = setUp();
    const answer = await request(server)
      .post(path)
      .send(body(['sent'], 'forged'));
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ success: false, code: 'signature_invalid' });
    expect(storedReceipts).toEqual([]);
  });

  test('over 1 MB is refused before it is read', async () => {
    const { server, written: storedReceipts } = setUp();
    const answer = await request(server).post(path).send('x'.repeat(1_000_001));
    expect(answer.body).toMatchObject({ code: 'body_too_large' });
    expect(storedReceipts).toEqual([]);
  });

  test.each([
    ['a wrong secret', path.replace(/[^/]+\?/, 'wrong?'), integration],
    ['the secret of another integration', path.replace(integration.id, newId()), integration],
    ['a removed integration', path, undefined],
    ['a provider that sends no receipts', path, { ...integration, provider: 'silent' }],
    ['an unknown provider', path, { ...integration, provider: 'gone' }],
    ['an unknown channel', path, { ...integration, channel: 'gone' }],
  ])('to %s gets the answer of a forged one', async (_title, to, storedIntegration) => {
    const { server, written: storedReceipts } = setUp(
      storedIntegration ?? { ...integration, id: newId() },
    );
    for (const method of ['post', 'get'] as const) {
      const answer = await request(server)[method](to);
      expect(answer.status).toBe(403);
      expect(answer.body).toMatchObject({ code: 'signature_invalid' });
    }
    expect(storedReceipts).toEqual([]);
  });

  test('that verifies the URL gets its challenge back as plain text', async () => {
    const { server } = setUp();
    const answer = await request(server).get(`${path}&key=k&challenge=12<34`);
    expect(answer.text).toBe('12<34');
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect((await request(server).get(`${path}&key=x&challenge=1`)).status).toBe(403);
  });

  test('leaves neither its secret nor its body in the log', async () => {
    const { server, lines } = setUp();
    await request(server)
      .post(path)
      .send(body(['sent']));
    const secret = path.split('/')[4]!.split('?')[0]!;
    expect(JSON.stringify(lines)).not.toContain(secret);
    expect(JSON.stringify(lines)).not.toContain('states');
  });
});

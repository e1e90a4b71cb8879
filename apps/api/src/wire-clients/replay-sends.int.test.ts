import { randomUUID } from 'node:crypto';
import { type Client, clients } from './clients.fixture';
import { sendsByField } from './field-requests.fixture';
import { capturedSends } from './send-requests.fixture';
import { findMisfits } from './shape.fixture';
import {
  type ClientCall,
  createWireGateway,
  readItems,
  type WireGateway,
} from './wire-gateway.fixture';

let gateway: WireGateway;

beforeAll(async () => {
  gateway = await createWireGateway();
});

afterAll(() => gateway.close());

const every = Object.keys(clients) as Client[];
const send = '/events/send';

describe('a captured call is accepted, its response is decoded by its client, and it is stored correctly', () => {
  test.each([...capturedSends, ...sendsByField].map((call) => [call.client, call.shows, call]))(
    '%s: %s',
    async (...[, , { client, path = send, items, ...call }]) => {
      const answer = await gateway.exchange({ client, path, ...call });
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
      expect(findMisfits(clients[client].accepted, answer.json)).toEqual([]);
      expect(answer.json['success']).toBe(true);
      expect(answer.json['id']).toBe(answer.json['request_id']);
      const stored = await readItems(gateway, String(answer.json['id']));
      expect(stored).toHaveLength(items.length);
      expect(stored).toMatchObject(items);
    },
  );

  test('values that mean "not given" are not stored', async () => {
    const java = capturedSends.find(({ shows }) => shows.startsWith('all 12 keys'));
    const { json } = await gateway.exchange({ client: 'java', path: send, body: java?.body ?? '' });
    const [item] = await readItems(gateway, String(json['id']));
    expect(item?.recipient).toEqual({ email: 'ana@example.com' });
    expect(item?.override).toEqual({ providers: {} });
  });

  test.each([send, '/events/bulk_send'])(
    'a Slack token under its camelCase name is stored sealed by %s',
    async (path) => {
      const token = 'xoxb-1234-canarycanary';
      const user = { slack: { accessToken: token, channelId: 'C0123456789' } };
      const body = JSON.stringify({
        event: 'e',
        ...(path === send ? { user } : { batch: [{ user }] }),
      });
      const { json } = await gateway.exchange({ client: 'legacy node', path, body });
      const items = await readItems(gateway, String(json['id']));
      expect(JSON.stringify(items)).not.toContain(token);
      expect(items[0]?.recipient.slack.access_token).toMatch(/^v1\.test\./);
    },
  );
});

describe('Idempotency-Key, as the clients send it', () => {
  test.each(['node', 'python', 'java', 'legacy python', 'legacy java'] as const)(
    '%s retries and decodes the first response',
    async (client) => {
      const call: ClientCall = {
        client,
        path: send,
        body: capturedSends.find((one) => one.client === client)?.body ?? '',
        headers: { 'Idempotency-Key': randomUUID() },
      };
      const first = await gateway.exchange(call);
      const second = await gateway.exchange(call);
      expect([first.status, second.status, second.text]).toEqual([200, 200, first.text]);
      expect(second.headers['idempotent-replayed']).toBe('true');
    },
  );

  test('a call is the same from Node, Python and Java, whose bodies differ in nulls and order', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const bodies = capturedSends
      .filter(({ shows }) => shows.startsWith('the minimum'))
      .map(({ client, body }) => ({ client, body, path: send, headers }));
    expect(bodies).toHaveLength(3);
    const answers = [];
    for (const call of bodies) answers.push(await gateway.exchange(call));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
  });
});

describe('every client decodes errors', () => {
  test.each(every)('%s: an unknown event', async (client) => {
    const body = '{"event":"nowhere","user":{"email":"a@example.com"},"data":{}}';
    const answer = await gateway.exchange({ client, path: send, body });
    expect([answer.status, answer.headers['content-type']]).toEqual([404, 'application/json']);
    expect(findMisfits(clients[client].refused, answer.json)).toEqual([]);
    expect(answer.json).toMatchObject({ success: false, error: 'event not found' });
  });

  test.each<[Client, string, string, number]>([
    ['node', 'no credential, as in its README', '', 401],
    ['python', 'a key without scheme, as in its README', '{key}', 401],
    ['documentation', 'another scheme', 'Bearer {key}', 401],
    ['documentation', 'the scheme without a key', 'AuthKey', 401],
    ['java', 'no space after the scheme, as in its release 0.0.52', 'AuthKey{key}', 200],
    ['documentation', 'the scheme in another letter case', 'authkey {key}', 200],
  ])('%s: %s', async (client, _, Authorization, status) => {
    const body = '{"event":"e","data":{}}';
    const answer = await gateway.exchange({ client, path: send, body, headers: { Authorization } });
    expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/json']);
    const { accepted, refused } = clients[client];
    expect(findMisfits(status === 200 ? accepted : refused, answer.json)).toEqual([]);
    expect(answer.headers['www-authenticate']).toBe(status === 401 ? 'AuthKey' : undefined);
  });

  test.each<[string, Record<string, string>]>([
    ['no length', {}],
    ['no length and no content type', { 'Content-Type': '' }],
    ['a length of 0', { 'Content-Length': '0' }],
  ])('a POST without a body, with %s, is a 400', async (_, headers) => {
    for (const path of [send, '/events/bulk_send', '/users', '/users/u/devices']) {
      const answer = await gateway.exchange({ client: 'legacy node', path, headers });
      expect([answer.status, answer.json['message']]).toEqual([400, 'Unable to process JSON']);
      expect(findMisfits(clients['legacy node'].refused, answer.json)).toEqual([]);
    }
  });
});

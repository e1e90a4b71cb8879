import { randomUUID } from 'node:crypto';
import { type Client, clients } from './clients.fixture';
import { deviceCalls, userWrites } from './record-requests.fixture';
import { findMisfits } from './shape.fixture';
import { type ClientCall, createWireGateway, type WireGateway } from './wire-gateway.fixture';

let gateway: WireGateway;

beforeAll(async () => {
  gateway = await createWireGateway();
});

afterAll(() => gateway.close());

type Model = 'user' | 'device' | 'refused';

/** Sends a call and checks that its client can decode the response as `model`. */
async function readAs(model: Model, status: number, call: ClientCall) {
  const answer = await gateway.exchange(call);
  expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/json']);
  expect(findMisfits(clients[call.client][model], answer.json)).toEqual([]);
  return answer.json;
}

async function createUser(client: Client, userId = `u_${randomUUID()}`): Promise<string> {
  const body = JSON.stringify({ user_id: userId });
  await readAs('user', 200, { client, path: '/users', body });
  return userId;
}

describe('a user', () => {
  test.each(userWrites.map((write) => [write.client, write.shows, write] as const))(
    'is written by %s with %s, read, and unchanged by a write without fields',
    async (client, _, { body, user, emptyWrite }) => {
      const user_id = `u_${randomUUID()}`;
      const write = (fields: object) =>
        readAs('user', 200, {
          client,
          path: '/users',
          body: JSON.stringify({ user_id, ...fields }),
        });
      const read = () => readAs('user', 200, { client, method: 'GET', path: `/users/${user_id}` });
      const response = await write(body);
      expect(response).toMatchObject({ user_id, ...user });
      expect(await read()).toEqual(response);
      expect(await write(emptyWrite)).toEqual({ ...response, updated_at: expect.any(Number) });
      const { updated_at: _now, ...storedUser } = await read();
      expect(response).toMatchObject(storedUser);
    },
  );

  test('without a Telegram chat is returned without `telegram`, which Python could not decode', async () => {
    const client = 'python';
    for (const telegram of [{ chat_id: '42' }, { chat_id: '' }, {}]) {
      const body = JSON.stringify({ user_id: 'telegram', telegram });
      const user = await readAs('user', 200, { client, path: '/users', body });
      expect(user['telegram']).toEqual(telegram.chat_id ? telegram : undefined);
    }
  });

  test.each<[Client, string]>([
    ['node', 'not encoded: a slash makes it another path'],
    ['python', 'not encoded: a slash makes it another path'],
  ])('whose ID has a slash is requested by %s %s', async (client) => {
    await createUser(client, 'u/1 x');
    const answer = await readAs('refused', 404, { client, method: 'GET', path: '/users/u/1%20x' });
    expect(answer).toMatchObject({ success: false, code: 'not_found' });
  });

  test('whose ID has a slash is found by Java, which encodes it', async () => {
    const client = 'java';
    await createUser(client, 'u/1 x');
    const path = '/users/u%2F1%20x';
    const body = JSON.stringify({ fcm_token: randomUUID(), platform: 'android' });
    const device = await readAs('device', 200, { client, path: `${path}/devices`, body });
    const user = await readAs('user', 200, { client, method: 'GET', path });
    expect(user).toMatchObject({ user_id: 'u/1 x', devices: [device] });
  });
});

describe('a device', () => {
  test.each(deviceCalls.map((calls) => [calls.client, calls] as const))(
    'is added, updated, read and deleted by %s',
    async (client, { updateMethod, added, updated, deleteHeaders }) => {
      const userId = await createUser(client);
      const fcm_token = randomUUID();
      const devices = `/users/${userId}/devices`;
      const body = JSON.stringify({ ...added, fcm_token });
      const first = await readAs('device', 200, { client, path: `${devices}/`, body });
      expect(first).toMatchObject({ ...toShownFields(added), fcm_token, raven_id: userId });

      const path = `${devices}/${String(first['device_sid'])}`;
      const token = randomUUID();
      const change = JSON.stringify({ ...updated, fcm_token: token });
      const second = await readAs('device', 200, {
        client,
        method: updateMethod,
        path,
        body: change,
      });
      expect(second).toEqual({ ...first, fcm_token: token, updated_at: expect.any(Number) });
      expect(await readAs('device', 200, { client, method: 'GET', path })).toEqual(second);
      const user = await readAs('user', 200, { client, method: 'GET', path: `/users/${userId}` });
      expect(user['devices']).toEqual([second]);

      const removed = { client, method: 'DELETE', path, headers: deleteHeaders } as const;
      const answer = await gateway.exchange(removed);
      expect([answer.status, answer.json]).toEqual([200, { success: true }]);
      const errorBody = await readAs('refused', 404, { client, method: 'GET', path });
      expect(errorBody['error']).toBe('device not found');
    },
  );

  test('is updated if it is added with its device_sid, and otherwise added again', async () => {
    const client = 'android';
    const path = `/users/${await createUser(client)}/devices`;
    const add = (body: object) =>
      readAs('device', 200, {
        client,
        path,
        body: JSON.stringify({ fcm_token: randomUUID(), ...body }),
      });
    const first = await add({ platform: 'android' });
    const { device_sid } = first;
    expect(await add({ device_sid })).toMatchObject({ device_sid, platform: 'android' });
    expect((await add({}))['device_sid']).not.toBe(device_sid);
  });

  test.each(Object.keys(clients) as Client[])(
    'of an unknown user is a 404 that %s can decode',
    async (client) => {
      const path = '/users/nobody/devices/none';
      for (const method of ['GET', 'DELETE'] as const) {
        const answer = await readAs('refused', 404, { client, method, path });
        expect(answer['error']).toBe('user not found');
      }
      const body = '{"fcm_token":"x"}';
      for (const method of ['PUT', 'POST'] as const) {
        await readAs('refused', 404, { client, method, path, body });
      }
      await readAs('refused', 404, { client, path: '/users/nobody/devices', body });
    },
  );
});

/** Platforms are returned in lower case. */
function toShownFields(fields: object): object {
  const entries = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, name === 'platform' ? value.toLowerCase() : value]),
  );
}

import { newId } from '@belfry/runtime';
import { messageStates } from '@belfry/shared';
import {
  createStoredDashboard,
  type Neighbour,
  type StoredDashboard,
} from './stored-dashboard.fixture';

let dashboard: StoredDashboard;
let operator: Neighbour;
let at: string;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
});

beforeEach(async () => {
  operator = await dashboard.createNeighbour();
  at = `apps/${operator.tenant.appId}/webhooks`;
});

afterAll(() => dashboard.close());

const form = {
  url: 'https://receiver.example/hooks',
  types: ['message.sent', 'message.failed'],
  description: 'Orders',
};

async function create(): Promise<string> {
  const { status, body } = await operator.call('post', at, form);
  expect([status, body.error]).toEqual([200, undefined]);
  return body.endpoint.id;
}

async function queueFailed(id: string): Promise<string> {
  const { body } = await operator.call('post', `${at}/${id}/example`, { type: 'message.sent' });
  const tries = [{ at: 1, ms: 2, status: 500, answer: 'no', error: 'HTTP status 500.' }];
  await dashboard.database.prisma.webhookDelivery.update({
    where: { id: body.id },
    data: { outcome: 'failed', nextAt: null, tries },
  });
  return body.id;
}

test('the secret is in the answers to adding and rotating, and in no other', async () => {
  const added = await operator.call('post', at, form);
  expect(added.body.secret).toMatch(/^whsec_/);
  const { id } = added.body.endpoint;
  const rotated = await operator.call('post', `${at}/${id}/rotate`);
  expect(rotated.body.secret).toMatch(/^whsec_/);
  expect(rotated.body.endpoint.previousSecretEndsAt).toBeGreaterThan(Date.now());
  const listed = await operator.call('get', at);
  expect(listed.body).toMatchObject({
    endpoints: [{ ...form, id, state: 'active', waiting: 0, failed: 0 }],
    maxEndpoints: 10,
  });
  expect(listed.body.types).toContainEqual({
    name: 'message.failed',
    means: messageStates.failed.means,
  });
  for (const secret of [added.body.secret, rotated.body.secret]) {
    expect(JSON.stringify(listed.body)).not.toContain(secret);
  }
});

test.each([
  ['http://receiver.example/hooks', 'must use https'],
  ['https://169.254.169.254/', 'must have a public address'],
  ['https://10.1.2.3/', 'must have a public address'],
  ['https://receiver.example:8443/', 'must use port 443'],
  ['https://ana:pass@receiver.example/', 'must not have a user name or password'],
  ['receiver', 'must be a valid URL'],
])('the URL %s is refused beside its field, and nothing changes', async (url, problem) => {
  const id = await create();
  for (const [method, target] of [
    ['post', at],
    ['patch', `${at}/${id}`],
  ] as const) {
    const { status, body } = await operator.call(method, target, { ...form, url });
    expect([status, body.code, body.fields]).toEqual([422, 'invalid', [{ path: 'url', problem }]]);
  }
  const { endpoints } = (await operator.call('get', at)).body;
  expect(endpoints).toMatchObject([{ id, url: form.url }]);
});

test('an app can have 10 endpoints', async () => {
  for (let n = 0; n < 10; n += 1) await create();
  const { status, body } = await operator.call('post', at, form);
  expect([status, body.code]).toEqual([409, 'wrong_state']);
});

test('an endpoint that Belfry disabled is counted on each page until it is enabled', async () => {
  const id = await create();
  const data = { disabledAt: new Date(), disabledReason: 'gone', failingSince: new Date() };
  await dashboard.database.prisma.webhookEndpoint.update({ where: { id }, data });
  const readApp = async () => (await operator.call('get', 'apps')).body.apps[0];
  expect((await readApp()).disabledWebhooks).toBe(1);
  const { endpoints } = (await operator.call('get', at)).body;
  expect(endpoints).toMatchObject([
    { state: 'disabled', disabledReason: 'It answered with HTTP status 410.' },
  ]);
  const enabled = await operator.call('patch', `${at}/${id}`, { isEnabled: true });
  expect(enabled.body).toMatchObject({ state: 'active', disabledReason: null });
  expect((await readApp()).disabledWebhooks).toBe(0);
  await operator.call('patch', `${at}/${id}`, { isEnabled: false });
  expect((await readApp()).disabledWebhooks).toBe(0);
});

test('deliveries are listed with their tries and filtered, and one or all failed ones are resent', async () => {
  const id = await create();
  const first = await queueFailed(id);
  const second = await queueFailed(id);
  const page = await operator.call('get', `${at}/${id}/deliveries?outcome=failed`);
  expect(page.body).toMatchObject({
    deliveries: [
      {
        id: second,
        outcome: 'failed',
        tries: [{ status: 500, answer: 'no', error: 'HTTP status 500.' }],
        body: { type: 'message.sent', data: { test: true } },
      },
      { id: first },
    ],
    next: null,
  });
  expect((await operator.call('get', at)).body.endpoints).toMatchObject([{ failed: 2 }]);
  const one = await operator.call('post', `${at}/${id}/deliveries/${first}/resend`);
  expect(one.body).toMatchObject({ id: first, outcome: 'waiting' });
  const rest = await operator.call('post', `${at}/${id}/resend-failed`, { since: 0 });
  expect(rest.body).toEqual({ resent: 1 });
  const wrong = await operator.call('get', `${at}/${id}/deliveries?outcome=lost`);
  expect([wrong.status, wrong.body.code]).toEqual([400, 'bad_request']);
});

test('unknown endpoints and deliveries are not found', async () => {
  const id = await create();
  for (const [method, target, body] of [
    ['patch', `${at}/${newId()}`, {}],
    ['delete', `${at}/${newId()}`, undefined],
    ['get', `${at}/${newId()}/deliveries`, undefined],
    ['post', `${at}/${newId()}/example`, { type: 'message.sent' }],
    ['post', `${at}/${id}/deliveries/${newId()}/resend`, undefined],
    ['post', `${at}/none/rotate`, undefined],
  ] as const) {
    const answer = await operator.call(method, target, body);
    expect([target, answer.status, answer.body.code]).toEqual([target, 404, 'not_found']);
  }
});

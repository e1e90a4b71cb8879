import { randomUUID } from 'node:crypto';
import { clients } from './clients.fixture';
import { findMisfits } from './shape.fixture';
import { createWireGateway, readItems, type WireGateway } from './wire-gateway.fixture';

let gateway: WireGateway;

beforeAll(async () => {
  gateway = await createWireGateway();
});

afterAll(() => gateway.close());

/** The status, and the body fields that the client reads. */
type Expected = [status: number, keys: object];

const accepted: Expected = [200, { success: true }];
const eventNotFound: Expected = [404, { success: false, error: 'event not found' }];
const appNotFound: Expected = [404, { success: false, error: 'app not found' }];
const routeNotFound: Expected = [404, { success: false }];
const eventBlank: Expected = [422, { errors: ['event must not be blank'] }];
const unreadable: Expected = [400, { message: 'Unable to process JSON' }];

const user = { mobile: '+4512345678', email: 'ana@example.com' };
const data = { sms: true, name: 'Ana', items: [{ name: 'Bell rope', quantity: 2 }], note: '' };
const override = { email: { from: { name: 'Shop' } } };
const element = { user, data, override };
const batch = [element, element, { user: { email: user.email }, data }];

type Case = [name: string, body: object | undefined, expected: Expected, app?: string];

const bulkCases: Case[] = [
  ['success', { event: 'test', batch }, accepted],
  ['wrong event', { event: 'nowhere', batch: [element] }, eventNotFound],
  ['app id missing', { event: 'test', batch: [element] }, routeNotFound, ''],
  ['wrong app', { event: 'test', batch: [element] }, appNotFound, 'example'],
  ['no event', { batch: [element] }, eventBlank],
  ['event that is an object', { event: {}, batch: [element] }, unreadable],
  ['empty batch', { event: 'test', batch: [] }, [422, { errors: ['batch must not be empty'] }]],
  [
    'element without user',
    { event: 'test', batch: [{ data }] },
    [422, { errors: ['batch[0].user must not be null'] }],
  ],
];

const singleCases: Case[] = [
  ['success', { event: 'test', ...element }, accepted],
  ['wrong event', { event: 'nowhere', ...element }, eventNotFound],
  ['app id missing', { event: 'test', ...element }, routeNotFound, ''],
  ['wrong app', { event: 'test', ...element }, appNotFound, 'example'],
  ['no event', { user, data }, eventBlank],
  ['body missing', undefined, unreadable],
  ['event that is an object', { event: {}, user, data }, unreadable],
];

/** The vendor expects 422 here. By our specification `user` is optional, and the log shows `no_recipient`. */
const singleCasesThatDiffer: Case[] = [
  ['user and data missing', { event: 'test' }, accepted],
  ['user missing', { event: 'test', data }, accepted],
];

async function run(path: string, [, body, , app]: Case) {
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  return gateway.exchange({
    client: 'legacy node',
    path,
    ...text,
    ...(app === undefined ? {} : { app }),
    headers: { 'Idempotency-Key': randomUUID() },
  });
}

function countRequests(): Promise<number> {
  const { accountId } = gateway.tenant;
  return gateway.database.prisma.request.count({ where: { accountId } });
}

async function expectOutcome(path: string, one: Case) {
  const [status, keys] = one[2];
  const before = await countRequests();
  const answer = await run(path, one);
  expect({ status: answer.status, json: answer.json }).toMatchObject({ status, json: keys });
  expect(answer.headers['content-type']).toBe('application/json');
  const model = status === 200 ? 'accepted' : 'refused';
  expect(findMisfits(clients['legacy node'][model], answer.json)).toEqual([]);
  expect(await countRequests()).toBe(status === 200 ? before + 1 : before);
  return answer;
}

describe('the vendor’s cases of bulk_send', () => {
  test.each(bulkCases)('%s', async (...one) => {
    await expectOutcome('/events/bulk_send', one);
  });
});

describe('the vendor’s cases of send', () => {
  test.each(singleCases)('%s', async (...one) => {
    await expectOutcome('/events/send', one);
  });

  test.each(singleCasesThatDiffer)(
    '%s differs from the vendor: accepted, and skipped as no_recipient',
    async (...one) => {
      const { json } = await expectOutcome('/events/send', one);
      const [item] = await readItems(gateway, String(json['id']));
      expect(item).toMatchObject({
        targets: {},
        skips: { email: { reason: 'no_recipient' }, slack: { reason: 'no_recipient' } },
      });
    },
  );
});

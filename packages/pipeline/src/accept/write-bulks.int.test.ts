import type { Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { createFactories, openDatabase, type Tenant, testDatabase } from '@belfry/testing';
import { writeRequests } from './write';
import type { NewItem, NewRequest } from './write.sql';

let database: Database;
let tenant: Tenant;
let event: { eventId: string; versionId: string };

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 2 });
  const factories = createFactories(database);
  tenant = await factories.createTenant();
  event = await factories.createEvent(tenant, {});
});

afterAll(() => database.close());

const noTexts = { recipient: undefined, data: undefined, override: undefined };
const unplanned = { ...noTexts, locale: undefined, scheduleAt: undefined, plan: undefined };

function createBulk(items: Partial<NewItem>[], keyText?: string): NewRequest {
  const hash = Buffer.from(keyText ?? '');
  const { accountId, appId } = tenant;
  return {
    request: {
      ...{ id: newId(), accountId, appId, ...event, kind: 'bulk', apiKeyId: undefined },
      idempotencyKey: keyText,
    },
    key:
      keyText === undefined ? undefined : { hash, fingerprint: hash, ringKeyId: 'k', status: 200 },
    items: items.map((item) => ({ ...unplanned, ...item })),
  };
}

async function readItems({ request }: NewRequest): Promise<unknown[]> {
  const rows = await database.prisma.requestItem.findMany({
    where: { requestId: request.id },
    orderBy: { item: 'asc' },
  });
  return rows.map(({ recipient, data, override, locale, scheduleAt, metadata, cancelKey }) =>
    [recipient, data, override, locale, scheduleAt, metadata, cancelKey].map(
      (text) => text ?? undefined,
    ),
  );
}

const getTexts = ({ items }: NewRequest) =>
  items.map(({ recipient, data, override, locale, scheduleAt, metadata, cancelKey }) => [
    ...[recipient, data, override, locale, scheduleAt, metadata, cancelKey],
  ]);

const user = (index: number) => ({ recipient: `{"mobile":"+45${20_000_000 + index}"}` });
const many = (count: number, item: Partial<NewItem> = {}) =>
  Array.from({ length: count }, (_, index) => ({ ...user(index), ...item }));

describe('bulks that are written together', () => {
  test.each<[string, () => NewRequest[]]>([
    ['a single bulk', () => [createBulk(many(1_000, { data: '{"a":"\\u001f"}' }))]],
    [
      'fields that only some items have',
      () => [
        createBulk([
          { recipient: '{"name":"Zoë 👋"}', data: '{"q":"\\"\\\\ \'{},NULL"}', locale: 'NULL' },
          { ...user(1), override: '{"sms":{}}', scheduleAt: '' },
          {},
        ]),
      ],
    ],
    [
      'metadata and a key of some',
      () => [
        createBulk([user(0), { ...user(1), metadata: '{"a":"é 👋"}', cancelKey: 'NULL' }]),
        createBulk([{ ...user(2), cancelKey: ' a,"b" ' }]),
      ],
    ],
    ['items without any fields', () => [createBulk([{}, {}, {}])]],
    ['several of different lengths', () => [3, 1, 500, 2].map((count) => createBulk(many(count)))],
    ['many', () => Array.from({ length: 40 }, (_, index) => createBulk(many(1 + (index % 3))))],
  ])('are stored item by item as they were sent: %s', async (_what, create) => {
    const calls = create();
    const results = await writeRequests(database.accepting, calls);
    expect(results).toEqual(calls.map(() => ({ isWritten: true })));
    for (const call of calls) expect(await readItems(call)).toEqual(getTexts(call));
  });

  test('have one term for each text, however many items have it, and none without these fields', async () => {
    const metadata = '{"campaign":"spring","order":"A-1"}';
    const shared = { metadata, cancelKey: 'spring' };
    const calls = [
      createBulk([...many(500, shared), { ...user(500), metadata: '{"order":"A-2"}' }]),
      createBulk(many(2, shared)),
      createBulk(many(2)),
    ];
    await writeRequests(database.accepting, calls);
    const counts = calls.map(({ request }) =>
      database.prisma.requestTerm.count({ where: { appId: tenant.appId, requestId: request.id } }),
    );
    expect(await Promise.all(counts)).toEqual([4, 3, 0]);
  });

  test('are stored unplanned, with planned_items 0', async () => {
    const call = createBulk(many(3));
    await writeRequests(database.accepting, [call]);
    const { id } = call.request;
    expect(await database.prisma.request.findUniqueOrThrow({ where: { id } })).toMatchObject({
      ...{ kind: 'bulk', items: 3, plannedItems: 0, plannedTo: 0 },
    });
    const rows = await database.prisma.requestItem.findMany({ where: { requestId: id } });
    expect(rows.map(({ plannedAt, skips }) => [plannedAt, skips])).toEqual([
      ...Array.from({ length: 3 }, () => [null, null]),
    ]);
  });

  test('are each written or refused by their own key', async () => {
    const [takenKey, free] = [newId(), newId()];
    const winner = createBulk(many(2), takenKey);
    await writeRequests(database.accepting, [winner]);
    const withTerms = { metadata: '{"a":"b"}' };
    const calls = [
      createBulk(many(2, withTerms), takenKey),
      createBulk(many(3), free),
      createBulk(many(1)),
    ];
    const results = await writeRequests(database.accepting, calls);
    expect(results).toMatchObject([
      { isWritten: false, winner: { requestId: winner.request.id } },
      { isWritten: true },
      { isWritten: true },
    ]);
    expect((await Promise.all(calls.map(readItems))).map((items) => items.length)).toEqual([
      0, 3, 1,
    ]);
    const lost = await database.prisma.request.findUnique({
      where: { id: calls[0]!.request.id },
    });
    expect(lost).toBeNull();
    const terms = { where: { requestId: calls[0]!.request.id } };
    expect(await database.prisma.requestTerm.count(terms)).toBe(0);
  });
});

import { createFactories, type Factories, openDatabase, testDatabase } from '@belfry/testing';
import type { Database } from '../client';
import { createSuppressions, type Suppressions } from './suppressions';

let database: Database;
let factories: Factories;
let suppressions: Suppressions;

beforeAll(async () => {
  database = openDatabase({ url: (await testDatabase()).url, poolSize: 2 });
  factories = createFactories(database);
  suppressions = createSuppressions(database.lookUps);
});

afterAll(() => database.close());

type List = { appId: string; actor: { accountId: string; operatorId: undefined }; ids: string[] };

/** An app that suppresses these addresses. */
async function createList(addresses: string[]): Promise<List> {
  const { appId, accountId } = await factories.createTenant();
  const actor = { accountId, operatorId: undefined };
  const ids = [];
  for (const address of addresses) {
    const id = await suppressions.add(actor, appId, { channel: 'email', address, detail: 'x' });
    if (id === undefined) throw new Error('not added');
    ids.push(id);
  }
  return { appId, actor, ids };
}

const getIds = (rows: { id: string }[]) => rows.map(({ id }) => id);

describe('suppressions of one app', () => {
  const addresses = ['a@example.com', 'b@example.com', 'c@example.com'];
  let own: List;
  let other: List;

  beforeAll(async () => {
    [own, other] = [await createList(addresses), await createList(addresses)];
  });

  test('are the only ones that its list and its look-up of addresses return', async () => {
    expect(getIds((await suppressions.list(own.appId, '')).rows)).toEqual(own.ids);
    const sought = addresses.map((address) => ({ channel: 'email', address }));
    expect(getIds(await suppressions.listForAddresses(own.appId, sought))).toEqual(own.ids);
  });

  test('continue after a row of the app, and start at the first one after a row of another app', async () => {
    const { appId } = own;
    expect(getIds((await suppressions.list(appId, '', own.ids[1])).rows)).toEqual([own.ids[2]]);
    expect(getIds((await suppressions.list(appId, '', other.ids[1])).rows)).toEqual(own.ids);
  });

  test('are listed in order of their addresses, page by page', async () => {
    const count = 52;
    const sorted = Array.from({ length: count }, (_, index) => `u${index + 100}@example.com`);
    // Added from both ends, so that the order of ids differs from the order of addresses.
    const added = sorted.map(
      (_, index) => sorted[index % 2 ? count - 1 - (index >> 1) : index >> 1] ?? '',
    );
    const { appId } = await createList(added);
    const first = await suppressions.list(appId, '');
    const second = await suppressions.list(appId, '', first.next ?? undefined);
    expect(first.rows).toHaveLength(50);
    expect([...first.rows, ...second.rows].map(({ address }) => address)).toEqual(sorted);
    expect(second.next).toBeNull();
  });

  test('are removed only by an actor of this app, and only that gets an audit entry', async () => {
    const [id = ''] = own.ids;
    const findAuditEntries = ({ appId }: List) =>
      database.prisma.auditEntry.findMany({ where: { appId, action: 'suppression.removed' } });
    expect(await suppressions.remove(other.actor, other.appId, id)).toBe(false);
    expect(getIds((await suppressions.list(own.appId, '')).rows)).toEqual(own.ids);
    expect(await findAuditEntries(other)).toEqual([]);
    expect(await suppressions.remove(own.actor, own.appId, id)).toBe(true);
    expect(getIds((await suppressions.list(own.appId, '')).rows)).toEqual(own.ids.slice(1));
    expect(await findAuditEntries(own)).toMatchObject([
      { subject: id, change: { channel: 'email', address: 'a***@example.com' } },
    ]);
  });
});

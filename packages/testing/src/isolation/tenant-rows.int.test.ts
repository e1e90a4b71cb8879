import type { Database } from '@belfry/database';
import { openDatabase } from '@belfry/testing';
import { ownDatabase } from '../database';
import { createFactories, type Factories } from '../factories';
import { createRowWatch, type RowWatch } from './tenant-rows';

let store: Awaited<ReturnType<typeof ownDatabase>>;
let database: Database;
let factories: Factories;
let watch: RowWatch;

beforeAll(async () => {
  store = await ownDatabase();
  database = openDatabase({ url: store.url, poolSize: 2 });
  factories = createFactories(database);
  watch = await createRowWatch(database);
});

afterAll(async () => {
  await database.close();
  await store.drop();
});

/** A tenant whose rows nothing else may change or name. */
function createWatched() {
  return watch.watch({ marks: [] }).add(() => factories.createTenant());
}

const rename = (id: string, name: string) =>
  database.prisma.app.update({ where: { id }, data: { name } });

test('a watched row that is changed, and one that is gone, is found once', async () => {
  const { appId, accountId } = await createWatched();
  await factories.createTenant();
  expect(await watch.findChanges()).toEqual([]);
  await rename(appId, 'Changed');
  await database.prisma.apiKey.deleteMany({ where: { accountId } });
  const isLost = /^a row is gone or changed: (app|api_key) /;
  const lost = (await watch.findChanges()).filter((change) => isLost.test(change));
  expect(lost.map((change) => isLost.exec(change)?.[1]).sort()).toEqual(['api_key', 'app']);
  expect(await watch.findChanges()).toEqual([]);
});

test('a row of another tenant that names a watched one is found', async () => {
  const { accountId } = await createWatched();
  const { appId } = await factories.createTenant();
  expect(await watch.findChanges()).toEqual([]);
  await rename(appId, accountId);
  expect(await watch.findChanges()).toEqual([
    expect.stringMatching(new RegExp(`^a row names ${accountId}: app `)),
  ]);
});

test('a row that is written anew with the same content is no change', async () => {
  const { appId } = await createWatched();
  const { name } = await database.prisma.app.findUniqueOrThrow({ where: { id: appId } });
  await rename(appId, name);
  expect(await watch.findChanges()).toEqual([]);
});

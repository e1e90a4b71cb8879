import { newId } from '@belfry/runtime';
import {
  createFactories,
  type Factories,
  openDatabase,
  testDatabase,
  testSecrets,
} from '@belfry/testing';
import type { Database } from '../client';
import { type AccountKeys, createAccountKeys, writeKeyUses } from './api-keys';

const hourMs = 60 * 60_000;
let database: Database;
let factories: Factories;
let keys: AccountKeys;

beforeAll(async () => {
  database = openDatabase({ url: (await testDatabase()).url, poolSize: 2 });
  factories = createFactories(database);
  keys = createAccountKeys(database.lookUps, testSecrets());
});

afterAll(() => database.close());

async function createKey() {
  const { accountId } = await factories.createTenant();
  const actor = { accountId, operatorId: undefined };
  const key = await keys.create(actor);
  if (!key) throw new Error('no key was created');
  return { actor, id: key.id };
}

const readKey = (id: string) => database.prisma.apiKey.findUniqueOrThrow({ where: { id } });
const agoMs = (at: Date | null) => Date.now() - Number(at);

describe('an API key', () => {
  test('with two end times ends at the earlier one', async () => {
    const { actor, id } = await createKey();
    const end = (afterMs: number) => keys.end(actor, { id, afterMs, isConfirmed: true });
    expect(await end(2 * hourMs)).toBe('ended');
    expect(await end(hourMs)).toBe('ended');
    expect(await end(3 * hourMs)).toBe('ended');
    const leftMs = -agoMs((await readKey(id)).expiresAt);
    expect(Math.abs(leftMs - hourMs)).toBeLessThan(60_000);
  });

  test('gets its last use written at most once in 5 s', async () => {
    const { id } = await createKey();
    await writeKeyUses(database.lookUps, [id]);
    const first = (await readKey(id)).lastUsedAt;
    expect(Math.abs(agoMs(first))).toBeLessThan(60_000);
    await writeKeyUses(database.lookUps, [id, newId()]);
    expect((await readKey(id)).lastUsedAt).toEqual(first);
    const lastUsedAt = new Date(Date.now() - 60_000);
    await database.prisma.apiKey.update({ where: { id }, data: { lastUsedAt } });
    await writeKeyUses(database.lookUps, [id]);
    expect(Number((await readKey(id)).lastUsedAt)).toBeGreaterThan(Number(lastUsedAt));
  });
});

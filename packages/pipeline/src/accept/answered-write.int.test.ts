import { createUsers, type Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { createFactories, openDatabase, testDatabase, testSecrets } from '@belfry/testing';
import { writeAnswered } from './answered-write';

let database: Database;

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 4 });
});

afterAll(() => database.close());

describe('writeAnswered', () => {
  test('stores neither the user nor the key if building the response fails', async () => {
    const { appId, accountId } = await createFactories(database).createTenant();
    const users = createUsers({ pool: database.accepting, secrets: testSecrets(), newId });
    const userId = newId();
    const key = {
      hash: Buffer.alloc(32, 1),
      fingerprint: Buffer.alloc(32, 2),
      ringKeyId: 'test',
      status: 200,
    };
    const writeUser = (toBody: () => string) =>
      writeAnswered(database.accepting, { callId: newId(), accountId, key }, async (client) => {
        await users.writeUser(client, { appId, user: { userId, contact: {} } });
        return toBody();
      });
    const failing = writeUser(() => {
      throw new Error('a bug');
    });
    await expect(failing).rejects.toThrow('a bug');
    expect(await users.findWholeUser(appId, userId)).toBeUndefined();
    expect(await database.prisma.idempotencyKey.count({ where: { accountId } })).toBe(0);
    expect(await writeUser(() => 'b')).toEqual({ isWritten: true, body: 'b' });
  });
});

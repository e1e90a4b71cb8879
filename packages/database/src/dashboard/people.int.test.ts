import { createLogger, newId } from '@belfry/runtime';
import { createFactories, type Factories, testDatabase } from '@belfry/testing';
import { createDatabase, type Database } from '../client';
import { createPeople, type People } from './people';

let database: Database;
let factories: Factories;
let people: People;

const rounds = 25;

beforeAll(async () => {
  const { url } = await testDatabase();
  const log = createLogger({ level: 'error', process: 'test' });
  database = createDatabase({ url, poolSize: 4, log });
  factories = createFactories(database);
  people = createPeople(database.lookUps);
});

afterAll(() => database.close());

async function createOwners(count: number) {
  const { accountId } = await factories.createTenant();
  const ids = Array.from({ length: count }, () => newId());
  await database.prisma.operator.createMany({
    data: ids.map((id) => ({
      id,
      accountId,
      email: `${id}@example.com`,
      passwordHash: '',
      role: 'owner',
    })),
  });
  return { ids, actors: ids.map((operatorId) => ({ accountId, operatorId })), accountId };
}

async function countOwners(accountId: string): Promise<number> {
  return database.prisma.operator.count({ where: { accountId, role: 'owner', disabledAt: null } });
}

describe('an account', () => {
  test('keeps an owner, whichever two changes come at the same moment', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { ids, actors, accountId } = await createOwners(2);
      const [one = '', other = ''] = ids;
      const [asOne, asOther] = actors;
      const ways = [
        () => [people.remove(asOne!, other), people.remove(asOther!, one)],
        () => [people.remove(asOne!, one), people.remove(asOther!, other)],
        () => [
          people.changeRole(asOne!, { id: other, role: 'viewer' }),
          people.changeRole(asOther!, { id: one, role: 'editor' }),
        ],
        () => [
          people.remove(asOne!, one),
          people.changeRole(asOther!, { id: other, role: 'viewer' }),
        ],
      ];
      const results = await Promise.all(ways[round % ways.length]!());
      expect(results.filter((result) => !('obstacle' in result))).toHaveLength(1);
      expect(await countOwners(accountId)).toBe(1);
    }
  });

  test('has one link an address, also by two owners at the same moment', async () => {
    const { actors, accountId } = await createOwners(2);
    const email = `${newId()}@example.com`;
    const invite = (index: number) =>
      people.invite(actors[index]!, {
        tokenHash: Buffer.from(newId()),
        email,
        role: 'viewer',
        livesMs: 60_000,
      });
    await Promise.all([invite(0), invite(1), invite(0)]);
    expect(await people.listInvitations(accountId)).toHaveLength(1);
  });
});

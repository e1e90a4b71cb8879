import { newId } from '@belfry/runtime';
import { createFactories, type Factories, openDatabase, testDatabase } from '@belfry/testing';
import type { Database } from '../client';
import { createPeople, type People } from './people';

let database: Database;
let factories: Factories;
let people: People;

const rounds = 25;

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 4 });
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
  test('keeps an owner, whichever two changes are made at once', async () => {
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

  test('has one link per address, also when two owners invite at once', async () => {
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

  test('cannot be changed by an operator who is not an owner at that moment', async () => {
    const { ids, accountId } = await createOwners(2);
    const [id = '', demoted = ''] = ids;
    await database.prisma.operator.update({ where: { id: demoted }, data: { role: 'editor' } });
    const stranger = (await createOwners(1)).ids[0];
    const invite = { tokenHash: Buffer.from(newId()), email: 'a@example.com', role: 'viewer' };
    for (const operatorId of [demoted, stranger]) {
      const actor = { accountId, operatorId };
      expect([
        await people.invite(actor, { ...invite, livesMs: 60_000 }),
        await people.revoke(actor, invite.tokenHash.toString('hex')),
        await people.changeRole(actor, { id, role: 'viewer' }),
        await people.remove(actor, id),
      ]).toEqual(Array(4).fill({ obstacle: 'not_owner' }));
    }
    expect(await countOwners(accountId)).toBe(1);
    expect(await people.listInvitations(accountId)).toEqual([]);
  });

  test('cannot be changed by owners of another account', async () => {
    const { ids, actors, accountId } = await createOwners(2);
    const other = await createOwners(2);
    const [id = ''] = ids;
    const tokenHash = Buffer.from(newId());
    const invite = { tokenHash, email: 'a@example.com', role: 'viewer', livesMs: 60_000 };
    await people.invite(actors[0]!, invite);
    const theirs = other.actors[0]!;
    expect([
      await people.revoke(theirs, tokenHash.toString('hex')),
      await people.changeRole(theirs, { id, role: 'viewer' }),
      await people.remove(theirs, id),
    ]).toEqual(Array(3).fill({ obstacle: 'not_found' }));
    // An invitation of the same address in the other account does not end this link.
    await people.invite(theirs, { ...invite, tokenHash: Buffer.from(newId()) });
    expect(await countOwners(accountId)).toBe(2);
    for (const each of [accountId, other.accountId]) {
      expect(await people.listInvitations(each)).toHaveLength(1);
      expect(await people.list(each)).toHaveLength(2);
    }
  });
});

import { createFindUser } from './find-users';
import type { UserRow } from './look-ups';

function createRow(userId: string): UserRow {
  return { id: `row of ${userId}`, userId, contact: {}, devices: [] };
}

describe('createFindUser', () => {
  test('sends one query per app for calls that arrive together, and returns to each its own user', async () => {
    const queries: string[] = [];
    const findUser = createFindUser({
      async findUsers(appId, userIds) {
        queries.push(`${appId}: ${userIds.join(' ')}`);
        const stored = userIds.filter((userId) => userId !== 'unknown');
        return new Map(stored.map((userId) => [userId, createRow(`${appId} ${userId}`)]));
      },
    });
    const users = await Promise.all([
      findUser('a', 'ana'),
      findUser('b', 'ana'),
      findUser('a', 'unknown'),
      findUser('a', 'ana'),
    ]);
    expect(users.map((user) => user?.userId)).toEqual(['a ana', 'b ana', undefined, 'a ana']);
    expect(queries).toEqual(['a: ana unknown', 'b: ana']);
  });

  test('fails the waiting calls when the query fails, and sends a new query for the next call', async () => {
    const answers = [new Error('connection refused'), new Map([['ana', createRow('ana')]])];
    const findUser = createFindUser({
      async findUsers() {
        const answer = answers.shift();
        if (answer instanceof Map) return answer;
        throw answer;
      },
    });
    await expect(findUser('a', 'ana')).rejects.toThrow('connection refused');
    expect(await findUser('a', 'ana')).toMatchObject({ userId: 'ana' });
  });
});

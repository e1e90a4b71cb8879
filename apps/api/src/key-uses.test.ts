import { createKeyUses } from './key-uses';

test('keys that were used are written once, however often they were, and at the latest when it closes', async () => {
  const batches: string[][] = [];
  const uses = createKeyUses({
    async write(ids) {
      batches.push(ids);
    },
    everyMs: 60_000,
    maxKeys: 2,
  });
  for (const id of ['a', 'b', 'a', 'too many']) uses.record(id);
  expect(batches).toEqual([]);
  await uses.close();
  expect(batches).toEqual([['a', 'b']]);
});

test('a store that is away costs nothing but the time of the last use', async () => {
  const uses = createKeyUses({
    write: () => Promise.reject(new Error('away')),
    everyMs: 60_000,
    maxKeys: 2,
  });
  uses.record('a');
  await expect(uses.close()).resolves.toBeUndefined();
});

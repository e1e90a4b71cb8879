import { createKeyUses } from './key-uses';

test('keys that were used are written once, however often they were, and at the latest when it closes', async () => {
  const written: string[][] = [];
  const uses = createKeyUses({
    async write(ids) {
      written.push(ids);
    },
    everyMs: 60_000,
    maxKeys: 2,
  });
  for (const id of ['a', 'b', 'a', 'too many']) uses.note(id);
  expect(written).toEqual([]);
  await uses.close();
  expect(written).toEqual([['a', 'b']]);
});

test('a store that is away costs nothing but the time of the last use', async () => {
  const uses = createKeyUses({
    write: () => Promise.reject(new Error('away')),
    everyMs: 60_000,
    maxKeys: 2,
  });
  uses.note('a');
  await expect(uses.close()).resolves.toBeUndefined();
});

import { createKeyUses } from './middleware/before-body';

test('each used key is written once, at the latest on close', async () => {
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

test('an unavailable store only loses the times of last use', async () => {
  const uses = createKeyUses({
    write: () => Promise.reject(new Error('unavailable')),
    everyMs: 60_000,
    maxKeys: 2,
  });
  uses.record('a');
  await expect(uses.close()).resolves.toBeUndefined();
});

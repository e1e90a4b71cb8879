import { connectToAny, createServers } from './primary';

const threeHosts = 'postgresql://a@one:1,two:2,three:3/b';

/** Connecting fails on each server; `isServerLost` moves on to the next one. */
async function countTries(url: string, isServerLost: boolean): Promise<number> {
  const servers = createServers(url);
  let tries = 0;
  const connected = connectToAny(servers, async () => {
    tries += 1;
    if (isServerLost) servers.leave(servers.getUrl());
    throw new Error('not connected');
  });
  await expect(connected).rejects.toThrow('not connected');
  return tries;
}

test('each server is tried once if none is reachable', async () => {
  expect(await countTries(threeHosts, true)).toBe(3);
  expect(await countTries('postgresql://a@one:1/b', true)).toBe(1);
});

test('a full pool is not tried again on another server: it would wait as long once more', async () => {
  expect(await countTries(threeHosts, false)).toBe(1);
});

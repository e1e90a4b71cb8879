import { createLogger } from '@belfry/runtime';
import { testDatabase } from '@belfry/testing';
import pg from 'pg';
import { createDatabase } from './client';

const log = createLogger({ level: 'error', process: 'test' });

test('with several hosts, a caller of a full pool waits for one connection only once', async () => {
  const { url } = await testDatabase();
  const { host } = new URL(url);
  const severalHosts = url.replace(host, `${host},${host}`);
  const database = createDatabase({ url: severalHosts, poolSize: 1, connectTimeoutMs: 200, log });
  const busy = await database.lookUps.connect();
  const waits = jest.spyOn(pg.Pool.prototype, 'connect');
  try {
    await expect(database.lookUps.query('SELECT 1')).rejects.toMatchObject({
      name: 'NotConnectedError',
    });
    expect(waits).toHaveBeenCalledTimes(1);
  } finally {
    waits.mockRestore();
    busy.release();
    await database.close();
  }
});

import type { Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { openDatabase, testDatabase } from '@belfry/testing';
import { readRates, removeOldDeliveryCounts, writeDeliveryCounts } from './delivery-counts.sql';

let database: Database;

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 2 });
});

afterAll(() => database.close());

type Client = Parameters<typeof readRates>[0];

/** Runs in a transaction, in which now() is constant, and rolls it back. */
async function whileTimeStands(work: (client: Client) => Promise<void>): Promise<void> {
  const client = await database.delivery.connect();
  try {
    await client.query('BEGIN');
    await work(client);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

/** Moves all counts back by this number of slots. */
async function age(client: Client, appId: string, slots: number): Promise<void> {
  await client.query(
    `UPDATE delivery_count SET at = at - $2::int * interval '30 s' WHERE app_id = $1`,
    [appId, slots],
  );
}

describe('delivery counts', () => {
  test('add up by half minutes, over processes and apps, and return only complete slots', async () => {
    await whileTimeStands(async (client) => {
      const [one, other] = [newId(), newId()];
      const sms = { appId: one, channel: 'sms', accepted: 2 };
      await writeDeliveryCounts(client, [sms, { ...sms, channel: 'email', accepted: 9 }]);
      await age(client, one, 3);
      await writeDeliveryCounts(client, [sms]);
      await writeDeliveryCounts(client, [sms, { ...sms, appId: other, accepted: 5 }]);
      await age(client, one, 1);
      await age(client, other, 1);
      await writeDeliveryCounts(client, [sms]);
      const rates = await readRates(client, [one, other]);
      expect(rates).toHaveLength(3);
      expect(rates).toContainEqual({ channel: 'sms', slotsAgo: 0, accepted: 9 });
      expect(rates).toContainEqual({ channel: 'sms', slotsAgo: 3, accepted: 2 });
      expect(rates).toContainEqual({ channel: 'email', slotsAgo: 3, accepted: 9 });
      expect(await readRates(client, [newId()])).toEqual([]);
    });
  });

  test('are removed when they are no longer shown', async () => {
    await whileTimeStands(async (client) => {
      const appId = newId();
      await writeDeliveryCounts(client, [{ appId, channel: 'sms', accepted: 1 }]);
      await age(client, appId, 70);
      expect(await removeOldDeliveryCounts(client)).toBeGreaterThan(0);
      const { rows } = await client.query('SELECT 1 FROM delivery_count WHERE app_id = $1', [
        appId,
      ]);
      expect(rows).toEqual([]);
    });
  });
});

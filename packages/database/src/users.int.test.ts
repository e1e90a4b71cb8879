import { newId } from '@belfry/runtime';
import {
  createFactories,
  eventually,
  openDatabase,
  testDatabase,
  testSecrets,
} from '@belfry/testing';
import type { Database } from './client';
import { userTokenPlace } from './look-ups';
import { createUsers } from './users';

let database: Database;

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 4 });
});

afterAll(() => database.close());

describe('writeUser', () => {
  test('seals the token to the row that another call created in the meantime', async () => {
    const { appId } = await createFactories(database).createTenant();
    const secrets = testSecrets();
    const users = createUsers({ pool: database.accepting, secrets, newId });
    const [userId, otherSid] = [newId(), newId()];
    const other = await database.delivery.connect();
    await other.query('BEGIN');
    await other.query('INSERT INTO app_user (id, app_id, user_id) VALUES ($1, $2, $3)', [
      ...[otherSid, appId, userId],
    ]);
    const user = { userId, contact: { slack: { channel_id: 'C1' } }, slackToken: 'xoxb-1' };
    const pendingWrite = users.writeUser(database.accepting, { appId, user });
    await eventually(async () => {
      const { rows } = await database.delivery.query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INSERT INTO app_user AS stored%'
         AND datname = current_database()`,
      );
      expect(rows).toHaveLength(1);
    });
    await other.query('COMMIT');
    other.release();
    expect(await pendingWrite).toMatchObject({ userSid: otherSid });
    const stored = await users.findWholeUser(appId, userId);
    const { access_token } = stored!.contact['slack'] as { access_token: string };
    expect(secrets.open(access_token, userTokenPlace(otherSid))).toBe('xoxb-1');
  });
});

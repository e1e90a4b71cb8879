import type { Secrets } from '@belfry/runtime';
import type { Contact, StoredUser, UserChange } from '@belfry/shared';
import type pg from 'pg';
import { deviceJson } from './devices';
import { userTokenPlace } from './look-ups';
import { lockPreferences, queueUnsubscribed, requireKnownCategories } from './preferences';
import type { Queryable } from './transaction';

export type UsersDeps = { pool: pg.Pool; secrets: Secrets; newId: () => string };

export type UserWrite = { appId: string; user: UserChange };

export type Users = {
  /** Creates or updates the user in the caller's transaction. */
  writeUser(client: Queryable, write: UserWrite): Promise<StoredUser>;
  findWholeUser(appId: string, userId: string): Promise<StoredUser | undefined>;
};

export function createUsers({ pool, secrets, newId }: UsersDeps): Users {
  return {
    writeUser,

    async findWholeUser(appId, userId) {
      const { rows } = await pool.query<UserRow>({
        name: 'find-whole-user',
        text: `SELECT ${userJson} AS "user" FROM app_user u WHERE app_id = $1 AND user_id = $2`,
        values: [appId, userId],
      });
      return rows[0]?.user;
    },
  };

  // The token is sealed to its row, so the id of the row is read first. Another call may create the row before the write.
  async function upsertUser(client: Queryable, { appId, user }: UserWrite): Promise<StoredUser> {
    for (let tries = 1; tries <= maxTries; tries += 1) {
      const existingSid = user.slackToken ? await findSid(client, appId, user.userId) : undefined;
      const userSid = existingSid ?? newId();
      const values = [userSid, appId, user.userId, buildContact(user, userSid), !user.slackToken];
      const { rows } = await client.query<UserRow>({
        name: 'upsert-user',
        text: statement,
        values,
      });
      if (rows[0]) return rows[0].user;
    }
    throw new Error('The user was created or removed by another call on each of 3 tries');
  }

  /** Preferences are compared with those of before, to report what the call switched off. */
  async function writeUser(client: Queryable, write: UserWrite): Promise<StoredUser> {
    const { appId, user } = write;
    const { locale: _, ...switches } = toMembers(user.contact['preferences']);
    if (Object.keys(switches).length === 0) return upsertUser(client, write);
    await requireKnownCategories(client, appId, switches['categories']);
    const stored = await lockPreferences(client, { appId, userId: user.userId });
    const written = await upsertUser(client, write);
    const [before, after] = [stored?.before ?? null, toMembers(written.contact['preferences'])];
    const { userSid } = written;
    await queueUnsubscribed(client, { appId, userSid, before, after, source: 'api' });
    return written;
  }

  function buildContact({ contact, slackToken }: UserChange, userSid: string): Contact {
    if (slackToken === undefined) return contact;
    const access_token = secrets.seal(slackToken, userTokenPlace(userSid));
    return { ...contact, slack: { ...toMembers(contact['slack']), access_token } };
  }
}

type UserRow = { user: StoredUser };

const maxTries = 3;
const maxDevicesShown = 100;

/** `u` as a StoredUser. */
const userJson = `json_build_object(
  'userSid', u.id,
  'userId', u.user_id,
  'contact', u.contact,
  'devices', (
    SELECT coalesce(json_agg(newest.device ORDER BY newest.id DESC), '[]')
    FROM (
      SELECT d.id, ${deviceJson} AS device FROM device d WHERE d.user_sid = u.id
      ORDER BY d.id DESC LIMIT ${maxDevicesShown}
    ) newest
  ),
  'createdAtMs', (extract(epoch FROM u.created_at) * 1000)::bigint,
  'updatedAtMs', (extract(epoch FROM u.updated_at) * 1000)::bigint
)`;

/** Fields whose members are changed one by one. */
const nested = ['slack', 'telegram', 'preferences'];

/** Merges $4 into `stored`. A null in $4 removes the field. */
function merged(stored: string): string {
  const members = nested.map(
    (field) =>
      `'${field}', nullif(jsonb_strip_nulls(coalesce(${stored}->'${field}', '{}') || coalesce($4::jsonb->'${field}', '{}')), '{}')`,
  );
  return `jsonb_strip_nulls(${stored} || $4::jsonb || jsonb_build_object(${members.join(', ')}))`;
}

// One statement merges and returns the user, so that concurrent calls for one user do not overwrite each other.
const statement = `
WITH u AS (
  INSERT INTO app_user AS stored (id, app_id, user_id, contact)
  VALUES ($1, $2, $3, ${merged(`'{}'::jsonb`)})
  ON CONFLICT (app_id, user_id) DO UPDATE
    SET contact = ${merged('stored.contact')}, updated_at = clock_timestamp()
    WHERE stored.id = $1 OR $5
  RETURNING id, user_id, contact, created_at, updated_at
)
SELECT ${userJson} AS "user" FROM u`;

async function findSid(
  client: Queryable,
  appId: string,
  userId: string,
): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>({
    name: 'find-user-sid',
    text: 'SELECT id FROM app_user WHERE app_id = $1 AND user_id = $2',
    values: [appId, userId],
  });
  return rows[0]?.id;
}

function toMembers(value: Contact[string] | undefined): Contact {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

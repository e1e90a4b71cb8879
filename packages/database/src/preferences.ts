import {
  AppError,
  type Contact,
  listSwitchedOff,
  type PreferencesBody,
  readPreferences,
  type UnsubscribeSource,
  type UserSwitches,
  type WireUser,
} from '@belfry/shared';
import type pg from 'pg';
import type { ActorInApp } from './audit';
import { writeAudit } from './audit';
import { inTransaction, type Queryable } from './transaction';

type UserOfApp = { appId: string; userId: string };

export type PreferencesWrite = UserOfApp & {
  /** Replaces all switches. The language stays if it is left out. */
  preferences: UserSwitches;
  source: UnsubscribeSource;
  /** Set if an operator writes them: the change gets an audit entry, without personal data. */
  actor?: ActorInApp;
};

export type PreferencesUpdate = UserOfApp & {
  /** Returns the new preferences, with their language. */
  change(stored: PreferencesBody): PreferencesBody;
  source: UnsubscribeSource;
  /** As in `PreferencesWrite`. */
  actor?: ActorInApp;
};

/** Preferences of a stored user in wire form; a category that the app no longer has is left out. */
export type StoredPreferences = Contact;

/** Reading and writing throw `user_not_found`. */
export function createUserPreferences(pool: pg.Pool) {
  return {
    async readPreferences({ appId, userId }: UserOfApp): Promise<StoredPreferences> {
      const { rows } = await pool.query<{ preferences: Contact | null; slugs: string[] }>({
        name: 'read-preferences',
        text: `SELECT contact -> 'preferences' AS preferences, ARRAY(SELECT slug FROM category WHERE app_id = $1) AS slugs
          FROM app_user WHERE app_id = $1 AND user_id = $2`,
        values: [appId, userId],
      });
      const [row] = rows;
      if (!row) throw new AppError('user_not_found');
      const { categories, ...others } = row.preferences ?? {};
      const existing = Object.entries(toMembers(categories)).filter(([slug]) =>
        row.slugs.includes(slug),
      );
      return { ...others, categories: Object.fromEntries(existing) };
    },

    /**
     * Changes the preferences of a user in one transaction. False if the user is not stored. Stored categories that the app no
     * longer has may stay.
     */
    changePreferences: (change: PreferencesUpdate): Promise<boolean> =>
      inTransaction(pool, (client) => changePreferences(client, change)),

    /** Throws `validation_failed` for a category that the app does not have. Queues a webhook for what it switches off. */
    writePreferences: (write: PreferencesWrite): Promise<void> =>
      inTransaction(pool, (client) => replacePreferences(client, write)),
  };
}

export type UserPreferences = ReturnType<typeof createUserPreferences>;

async function replacePreferences(client: Queryable, write: PreferencesWrite): Promise<void> {
  const { preferences, actor, ...user } = write;
  await requireKnownCategories(client, user.appId, preferences.categories);
  const stored = await lockPreferences(client, user);
  if (!stored) throw new AppError('user_not_found');
  const locale = stored.before?.['locale'];
  const after = { ...(locale === undefined ? {} : { locale }), ...preferences };
  await storePreferences(client, { ...user, ...stored, after });
  await recordChange(client, actor, stored);
}

/** An entry without the preferences, which say what a person wants to read. */
async function recordChange(
  client: Queryable,
  actor: ActorInApp | undefined,
  { userSid }: { userSid: string },
): Promise<void> {
  if (!actor) return;
  await writeAudit(client, actor, { action: 'user.preferences_changed', subject: userSid });
}

export async function changePreferences(
  client: Queryable,
  { change, actor, ...user }: PreferencesUpdate,
): Promise<boolean> {
  const stored = await lockPreferences(client, user);
  if (!stored) return false;
  // Safe casts: the routes that store preferences validate them, and both types have the members of their schema.
  const before = (stored.before ?? {}) as PreferencesBody;
  const after = change(before) as Contact;
  if (JSON.stringify(after) === JSON.stringify(before)) return true;
  await storePreferences(client, { ...user, ...stored, after });
  await recordChange(client, actor, stored);
  return true;
}

/** The only statement that replaces preferences, with the webhook for what it switches off. */
async function storePreferences(
  client: Queryable,
  change: PreferencesChange & { after: Contact },
): Promise<void> {
  await client.query(
    `UPDATE app_user SET updated_at = clock_timestamp(),
       contact = jsonb_strip_nulls(contact || jsonb_build_object('preferences', nullif($3::jsonb, '{}')))
     WHERE id = $1 AND app_id = $2`,
    [change.userSid, change.appId, JSON.stringify(change.after)],
  );
  await queueUnsubscribed(client, change);
}

/** The user's row, locked, with the preferences of before. */
export async function lockPreferences(
  client: Queryable,
  { appId, userId }: UserOfApp,
): Promise<{ userSid: string; before: Contact | null } | undefined> {
  const { rows } = await client.query<{ userSid: string; before: Contact | null }>({
    name: 'lock-preferences',
    text: `SELECT id AS "userSid", contact -> 'preferences' AS before FROM app_user WHERE app_id = $1 AND user_id = $2 FOR UPDATE`,
    values: [appId, userId],
  });
  return rows[0];
}

type PreferencesChange = {
  appId: string;
  userSid: string;
  before: Contact | null;
  after: Contact | undefined;
  source: UnsubscribeSource;
};

/** Queues a webhook for everything that the change switched off, in its transaction. */
export async function queueUnsubscribed(
  client: Queryable,
  { appId, userSid, before, after, source }: PreferencesChange,
): Promise<void> {
  const switchedOff = listSwitchedOff(toPreferences(before), toPreferences(after));
  for (const { channel, category } of switchedOff) {
    const data = { user_sid: userSid, channel, category, source };
    await client.query("SELECT queue_webhooks($1, 'user.unsubscribed', NULL, $2)", [
      appId,
      JSON.stringify(data),
    ]);
  }
}

/** Throws `validation_failed` that names each category which the app does not have. */
export async function requireKnownCategories(
  client: Queryable,
  appId: string,
  categories: Contact[string] | undefined,
): Promise<void> {
  const slugs = Object.keys(toMembers(categories));
  if (slugs.length === 0) return;
  const { rows } = await client.query<{ slug: string }>(
    'SELECT slug FROM category WHERE app_id = $1 AND slug = ANY ($2::text[])',
    [appId, slugs],
  );
  const storedSlugs = new Set(rows.map(({ slug }) => slug));
  const problems = slugs
    .filter((slug) => !storedSlugs.has(slug))
    .map((slug) => ({ path: `categories.${slug}`, problem: 'is not a category of the app' }));
  const [first] = problems;
  if (!first) return;
  throw new AppError('validation_failed', `${first.path} ${first.problem}`, { problems });
}

// Safe cast: the routes that store preferences validate them.
const toPreferences = (stored: Contact | null | undefined) =>
  readPreferences((stored ?? undefined) as WireUser['preferences']) ?? {};

function toMembers(value: Contact[string] | undefined): Contact {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

import { AppError } from '@belfry/shared';
import { type Actor, type ActorInApp, changeWithAudit, writeAudit } from '../audit';
import { inTransaction, type Queryable } from '../transaction';
import { unlessTaken } from './unless-taken';

/** The name and description of a category in one language. */
export type CategoryText = { name: string; description: string };

export type CategoryRow = {
  slug: string;
  /** By language tag. */
  texts: Record<string, CategoryText>;
  /** Categories are listed by position, then by slug. */
  position: number;
  updatedAt: Date;
};

export type NewCategory = Pick<CategoryRow, 'slug' | 'texts'>;
/**
 * A field that is left out stays as it is. The slug never changes: versions and preferences name it. With `updatedAt`, the
 * category is changed only if that is its last change.
 */
export type CategoryChange = { slug: string; updatedAt?: Date | undefined } & Partial<
  Pick<CategoryRow, 'texts' | 'position'>
>;

/** Per app. A longer list would be hard to use on a page of preferences. */
export const maxCategories = 50;

/** The topics of an app's optional events, which users can switch off. */
export function createCategories(pool: Queryable) {
  return {
    list: (appId: string) => listCategories(pool, appId),

    create: (actor: Actor, appId: string, category: NewCategory) =>
      unlessTaken(() =>
        inTransaction(pool, (client) => insertCategory(client, { ...actor, appId }, category)),
      ),

    /** False when the app has no such category, or it was changed after `updatedAt`. */
    async change(
      actor: Actor,
      appId: string,
      { slug, updatedAt, ...change }: CategoryChange,
    ): Promise<boolean> {
      const createEntry = (old: Old) => {
        const before = {
          ...(change.texts !== undefined && { texts: old.texts }),
          ...(change.position !== undefined && { position: old.position }),
        };
        return { action: 'category.changed', subject: slug, change, before };
      };
      const changed = await changeWithAudit(pool, { ...actor, appId }, createEntry, (client) =>
        updateCategory(client, appId, { slug, updatedAt, ...change }),
      );
      return changed !== undefined;
    },

    /** Stored preferences keep the slug: a category that is created again has the same opt-outs. */
    remove: (actor: Actor, appId: string, slug: string) =>
      inTransaction(pool, (client) => removeCategory(client, { ...actor, appId }, slug)),
  };
}

export type AppCategories = ReturnType<typeof createCategories>;

/** `not_found`, or the names of events whose live version or draft has the category; it is not removed then. */
export type CategoryRemoval = 'removed' | 'not_found' | { usedBy: string[] };

async function listCategories(client: Queryable, appId: string): Promise<CategoryRow[]> {
  const { rows } = await client.query<CategoryRow>(
    `SELECT slug, texts, position, updated_at AS "updatedAt" FROM category WHERE app_id = $1
     ORDER BY position, slug LIMIT ${maxCategories}`,
    [appId],
  );
  return rows;
}

/** Locks the category, so that it is not removed before the transaction ends. Throws `validation_failed` if there is none. */
export async function requireCategory(
  client: Queryable,
  appId: string,
  slug: string | undefined,
): Promise<void> {
  if (slug === undefined) return;
  const { rowCount } = await client.query(
    'SELECT FROM category WHERE app_id = $1 AND slug = $2 FOR KEY SHARE',
    [appId, slug],
  );
  if (rowCount === 0) throw new AppError('validation_failed', formatUnknownCategory(slug));
}

export function formatUnknownCategory(slug: string): string {
  return `The app has no category “${slug}”. Create it, or choose another one.`;
}

/** Locks the app's row while it counts the categories. */
async function insertCategory(
  client: Queryable,
  actor: ActorInApp,
  { slug, texts }: NewCategory,
): Promise<'created' | 'full'> {
  const { appId } = actor;
  await client.query('SELECT 1 FROM app WHERE id = $1 FOR NO KEY UPDATE', [appId]);
  const { rowCount } = await client.query(
    `INSERT INTO category (app_id, slug, texts, position)
     SELECT $1, $2, $3, coalesce(max(position), 0) + 1 FROM category WHERE app_id = $1
     HAVING count(*) < ${maxCategories}`,
    [appId, slug, JSON.stringify(texts)],
  );
  if (rowCount !== 1) return 'full';
  await writeAudit(client, actor, { action: 'category.created', subject: slug, change: { texts } });
  return 'created';
}

type Old = Pick<CategoryRow, 'texts' | 'position'>;

async function updateCategory(
  client: Queryable,
  appId: string,
  { slug, texts, position, updatedAt }: CategoryChange,
): Promise<Old | undefined> {
  const { rows } = await client.query<Old>(
    `UPDATE category c SET texts = coalesce($3, c.texts), position = coalesce($4, c.position),
       updated_at = greatest(now(), c.updated_at + interval '1 ms')
     FROM (SELECT app_id, slug, texts, position FROM category WHERE app_id = $1 AND slug = $2 FOR UPDATE) old
     WHERE c.app_id = old.app_id AND c.slug = old.slug AND ($5::timestamptz IS NULL OR c.updated_at = $5)
     RETURNING old.texts, old.position`,
    [appId, slug, texts && JSON.stringify(texts), position, updatedAt],
  );
  return rows[0];
}

/** The lock waits for versions that are being published with the category. */
async function removeCategory(
  client: Queryable,
  actor: ActorInApp,
  slug: string,
): Promise<CategoryRemoval> {
  const values = [actor.appId, slug];
  const { rows } = await client.query<Old>(
    'SELECT texts, position FROM category WHERE app_id = $1 AND slug = $2 FOR UPDATE',
    values,
  );
  const [before] = rows;
  if (!before) return 'not_found';
  const users = await client.query<{ name: string }>(
    `SELECT e.name FROM event e LEFT JOIN event_version v ON v.id = e.live_version_id
     WHERE e.app_id = $1 AND e.deleted_at IS NULL AND $2 IN (e.draft ->> 'category', v.definition ->> 'category')
     ORDER BY e.name`,
    values,
  );
  if (users.rows.length > 0) return { usedBy: users.rows.map(({ name }) => name) };
  await client.query('DELETE FROM category WHERE app_id = $1 AND slug = $2', values);
  await writeAudit(client, actor, { action: 'category.removed', subject: slug, before });
  return 'removed';
}

import { newId, type UnsubscribeToken } from '@belfry/runtime';
import { type SuppressionSource, setSwitch, suppressionSources } from '@belfry/shared';
import type pg from 'pg';
import { addressKey } from './address-key';
import type { CategoryText } from './configuration/categories';
import { changePreferences } from './preferences';
import { inTransaction, type Queryable } from './transaction';

/** The facts of an app that the pages behind unsubscribe links show. */
export type PageFacts = {
  accountId: string;
  appName: string;
  /** As in `#1d4ed8`. */
  pageColor: string | null;
  /** In their order. */
  categories: { slug: string; texts: Record<string, CategoryText> }[];
  /** The channels of live optional events, by category; null is that of events without one. */
  switches: { category: string | null; channel: string }[];
};

/** The reads and changes of unsubscribe links. */
export function createUnsubscribes(pool: pg.Pool) {
  return {
    /** Undefined for a removed app. Reads every live version of the app, so callers cache it. */
    async findPage(appId: string): Promise<PageFacts | undefined> {
      const { rows } = await pool.query<PageFacts>({
        name: 'find-unsubscribe-page',
        text: findPageStatement,
        values: [appId],
      });
      return rows[0];
    },

    /**
     * Switches off what the link is for. A person who is not stored has no preferences, so the address is suppressed for
     * optional events. Changes nothing the second time.
     */
    unsubscribe: (token: UnsubscribeToken): Promise<void> =>
      inTransaction(pool, (client) => unsubscribe(client, token)),
  };
}

export type Unsubscribes = ReturnType<typeof createUnsubscribes>;

async function unsubscribe(client: Queryable, token: UnsubscribeToken): Promise<void> {
  const { appId, userId, channel, category = null } = token;
  const isStored =
    userId !== undefined &&
    (await changePreferences(client, {
      ...{ appId, userId, source: 'link' },
      change: (stored) => setSwitch(stored, { channel, category }, true),
    }));
  if (isStored) return;
  const source: SuppressionSource = 'unsubscribe';
  // Any entry that is there already stops at least as much.
  await client.query(
    `INSERT INTO suppression (id, app_id, channel, recipient, reason, source, scope)
     VALUES ($1, $2, $3, ${addressKey('$3::text', '$4::text')}, 'opted_out', $5, $6)
     ON CONFLICT (app_id, channel, recipient, sender) DO NOTHING`,
    [newId(), appId, channel, token.target, source, suppressionSources[source].scope],
  );
}

const findPageStatement = `
SELECT a.account_id AS "accountId", a.name AS "appName", a.page_color AS "pageColor",
  (SELECT coalesce(jsonb_agg(jsonb_build_object('slug', c.slug, 'texts', c.texts) ORDER BY c.position, c.slug), '[]')
   FROM category c WHERE c.app_id = a.id) AS categories,
  (SELECT coalesce(jsonb_agg(DISTINCT jsonb_build_object('category', v.definition ->> 'category', 'channel', k.channel)), '[]')
   FROM event e JOIN event_version v ON v.id = e.live_version_id
   CROSS JOIN LATERAL jsonb_object_keys(v.definition -> 'channels') k (channel)
   WHERE e.app_id = a.id AND e.deleted_at IS NULL AND v.definition ->> 'kind' = 'optional') AS switches
FROM app a WHERE a.id = $1 AND a.deleted_at IS NULL`;

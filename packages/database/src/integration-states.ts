import type pg from 'pg';
import { type Actor, writeAudit } from './audit';
import { letGoOn } from './integrations';
import { inTransaction, type Queryable } from './transaction';

export type IntegrationState = 'active' | 'needs_attention' | 'paused';

export type Place = { appId: string; id: string };

/** What changes an integration's state, or takes it away. */
export function createStateChanges(pool: pg.Pool) {
  return {
    async pauseIntegration(actor: Actor, { appId, id }: Place): Promise<void> {
      await audited({ pool, actor, appId, id, action: 'integration.pause' }, async (client) => {
        await client.query(
          `UPDATE integration SET state = 'paused', state_reason = NULL, probe_at = NULL
           WHERE app_id = $1 AND id = $2 AND deleted_at IS NULL`,
          [appId, id],
        );
        return undefined;
      });
    },

    async resumeIntegration(actor: Actor, place: Place): Promise<void> {
      await audited({ pool, actor, ...place, action: 'integration.resume' }, (client) =>
        letGoOnOwn(client, place, 'paused'),
      );
    },

    /** Answers the state after it: a passed test lets go on what waited for attention. */
    async noteTest(actor: Actor, place: Place, isWorking: boolean) {
      await audited({ pool, actor, ...place, action: 'integration.test' }, async (client) => {
        if (isWorking) await letGoOnOwn(client, place, 'needs_attention');
        return { isWorking };
      });
      const { rows } = await pool.query<{ state: IntegrationState }>(
        'SELECT state FROM integration WHERE app_id = $1 AND id = $2',
        [place.appId, place.id],
      );
      return rows[0]?.state;
    },

    /** What is sealed goes at once; the row stays, for the log. */
    async removeIntegration(actor: Actor, { appId, id }: Place): Promise<void> {
      await audited({ pool, actor, appId, id, action: 'integration.remove' }, async (client) => {
        await client.query(
          `UPDATE integration SET deleted_at = now(), credentials = ''
           WHERE app_id = $1 AND id = $2 AND deleted_at IS NULL`,
          [appId, id],
        );
        return undefined;
      });
    },
  };
}

type Audited = { pool: pg.Pool; actor: Actor; appId: string; id: string; action: string };

/** A change and its entry in the audit, in one transaction. */
export async function audited(
  { pool, actor, appId, id, action }: Audited,
  work: (client: Queryable) => Promise<Record<string, unknown> | undefined>,
): Promise<string> {
  return inTransaction(pool, async (client) => {
    const change = await work(client);
    await writeAudit(client, actor, { appId, action, subject: id, ...(change ? { change } : {}) });
    return id;
  });
}

/** An integration of this app alone: its place was given by a caller. */
export async function letGoOnOwn(
  client: Queryable,
  { appId, id }: Place,
  state: 'paused' | 'needs_attention',
): Promise<undefined> {
  const { rows } = await client.query<{ id: string }>(
    'SELECT id FROM integration WHERE app_id = $1 AND id = $2',
    [appId, id],
  );
  if (rows.length > 0) await letGoOn(client, id, state);
  return undefined;
}

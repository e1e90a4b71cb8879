import { newId } from '@belfry/runtime';
import { maskTarget, type SuppressionScope, type SuppressionSource } from '@belfry/shared';
import type pg from 'pg';
import { addressKey } from '../address-key';
import { type Actor, changeWithAudit, writeAudit } from '../audit';
import { inTransaction } from '../transaction';

export type SuppressionRow = {
  id: string;
  channel: string;
  address: string;
  /** Empty when it applies to every sender of the app. */
  sender: string;
  reason: string;
  detail: string | null;
  /** `optional`: messages of mandatory events are still sent. */
  scope: SuppressionScope;
  source: SuppressionSource;
  /** The operator who added it; null when a provider reported it. */
  createdBy: string | null;
  createdAt: Date;
};

export type AddressOnChannel = { channel: string; address: string };
export type NewSuppression = AddressOnChannel & { detail: string };
export type SuppressionPage = { rows: SuppressionRow[]; next: string | null };

const pageSize = 50;
const maxOfAddresses = 200;

/** The addresses that an app must not send to. */
export function createSuppressions(pool: pg.Pool) {
  return {
    /** Addresses with this beginning, in order, starting after the row with the id `after`. */
    async list(appId: string, beginning: string, after?: string): Promise<SuppressionPage> {
      const hasBothCases = beginning !== beginning.toLowerCase();
      const { rows } = await pool.query<SuppressionRow>(
        `SELECT ${columnsWith('s.recipient')} FROM suppression s LEFT JOIN operator o ON o.id = s.created_by
         LEFT JOIN suppression a ON a.id = $4 AND a.app_id = $1
         WHERE s.app_id = $1 AND (${begins('$2')} ${hasBothCases ? `OR s.channel = 'email' AND ${begins('lower($2)')}` : ''})
           AND (a.id IS NULL OR (s.recipient ~>=~ a.recipient AND NOT (s.recipient = a.recipient AND s.id <= a.id)))
         ORDER BY s.recipient USING ~<~, s.id LIMIT ${pageSize + 1}`,
        [appId, beginning, lastCharacter, after],
      );
      const page = rows.slice(0, pageSize);
      return { rows: page, next: rows.length > pageSize ? (page.at(-1)?.id ?? null) : null };
    },

    async listForAddresses(
      appId: string,
      addresses: readonly AddressOnChannel[],
    ): Promise<SuppressionRow[]> {
      const { rows } = await pool.query<SuppressionRow>(
        `SELECT ${columnsWith('t.recipient')} FROM unnest($2::text[], $3::text[]) t (channel, recipient)
         JOIN suppression s ON s.app_id = $1 AND s.channel = t.channel
           AND s.recipient = ${addressKey('t.channel', 't.recipient')}
         LEFT JOIN operator o ON o.id = s.created_by
         ORDER BY s.channel, s.recipient, s.sender LIMIT ${maxOfAddresses}`,
        [appId, addresses.map(({ channel }) => channel), addresses.map(({ address }) => address)],
      );
      return rows;
    },

    /** Applies to every sender and event. Undefined when the address is already on the list with this scope. */
    async add(
      actor: Actor,
      appId: string,
      suppression: NewSuppression,
    ): Promise<string | undefined> {
      const { channel, address, detail } = suppression;
      const id = newId();
      const change = toAuditChange(suppression);
      const createEntry = (subject: string) => ({ action: 'suppression.added', subject, change });
      return changeWithAudit(pool, { ...actor, appId }, createEntry, async (client) => {
        const { rows } = await client.query<{ id: string }>(
          `INSERT INTO suppression (id, app_id, channel, recipient, reason, detail, created_by)
           VALUES ($1, $2, $3, ${addressKey('$3::text', '$4::text')}, 'manual', $5, $6)
           ON CONFLICT (app_id, channel, recipient, sender) ${widenSuppression} RETURNING id`,
          [id, appId, channel, address, detail, actor.operatorId],
        );
        return rows[0]?.id;
      });
    },

    /** False when the app has no suppression with this id. */
    async remove(actor: Actor, appId: string, id: string): Promise<boolean> {
      return inTransaction(pool, async (client) => {
        const { rows } = await client.query<AddressOnChannel>(
          `DELETE FROM suppression WHERE id = $1 AND app_id = $2
           RETURNING channel, recipient AS address`,
          [id, appId],
        );
        const [row] = rows;
        if (!row) return false;
        const entry = { action: 'suppression.removed', subject: id, change: toAuditChange(row) };
        await writeAudit(client, { ...actor, appId }, entry);
        return true;
      });
    },
  };
}

export type Suppressions = ReturnType<typeof createSuppressions>;

/** An entry for all messages takes the place of one for optional events. Any other entry stays: an operator may have changed it. */
export const widenSuppression = `DO UPDATE SET scope = excluded.scope, source = excluded.source, reason = excluded.reason,
  detail = excluded.detail, created_by = excluded.created_by, created_at = excluded.created_at
  WHERE suppression.scope = 'optional' AND excluded.scope = 'all'`;

export const lastCharacter = '\u{10FFFF}';

/** Written so that PostgreSQL uses the index. $3 is the last character. */
export function begins(text: string): string {
  return `s.recipient ~>=~ ${text} AND s.recipient ~<~ (${text} || $3::text)`;
}

/** `address` is the column whose spelling is returned. */
function columnsWith(address: string): string {
  return `s.id, s.channel, ${address} AS address, s.sender, s.reason, s.detail, s.scope, s.source,
  o.email AS "createdBy", s.created_at AS "createdAt"`;
}

/** The audit log keeps its entries after a user is erased, so the address is masked. */
function toAuditChange({ channel, address }: AddressOnChannel): Record<string, unknown> {
  return { channel, address: maskTarget(channel, address) };
}

import type pg from 'pg';
import { type Actor, writeAudit } from './audit';
import { inTransaction } from './transaction';

export type SessionRow = {
  operatorId: string;
  accountId: string;
  accountName: string;
  email: string;
  role: string;
  expiresAt: Date;
};

/** One of an operator's sessions, as the operator sees it. */
export type OpenSession = { id: string; createdAt: Date; lastSeenAt: Date; expiresAt: Date };

export type SessionLimits = {
  /** A session that nobody used for so long has ended. */
  maxIdleMs: number;
  /** From sign-in, used or not. */
  maxAgeMs: number;
};

const maxListed = 100;

/** Sessions by the SHA-256 of their token. The first half of it in hexadecimal names one to its operator. */
export function createOperatorSessions(pool: pg.Pool, { maxIdleMs, maxAgeMs }: SessionLimits) {
  return {
    async createSession(actor: Actor, tokenHash: Buffer): Promise<void> {
      await inTransaction(pool, async (client) => {
        await client.query(
          `INSERT INTO operator_session (token_hash, operator_id, expires_at)
           VALUES ($1, $2, now() + $3::float8 * interval '1 ms')`,
          [tokenHash, actor.operatorId, maxAgeMs],
        );
        // What has ended long ago is of no use to anybody.
        await client.query(
          `DELETE FROM operator_session WHERE operator_id = $1 AND expires_at < now() - interval '30 days'`,
          [actor.operatorId],
        );
        await writeAudit(client, actor, {
          action: 'session.create',
          subject: sessionNameOf(tokenHash),
        });
      });
    },

    /** An open session, which is seen by this; noted once a minute, so that reading is not writing. */
    async findSession(tokenHash: Buffer): Promise<SessionRow | undefined> {
      const { rows } = await pool.query<SessionRow & { isNoted: boolean }>({
        name: 'find-operator-session',
        text: `SELECT o.id AS "operatorId", o.account_id AS "accountId", a.name AS "accountName", o.email,
                 o.role, s.expires_at AS "expiresAt", s.last_seen_at > now() - interval '1 min' AS "isNoted"
               FROM operator_session s
               JOIN operator o ON o.id = s.operator_id AND o.disabled_at IS NULL
               JOIN account a ON a.id = o.account_id
               WHERE s.token_hash = $1 AND ${isOpen('$2')}`,
        values: [tokenHash, maxIdleMs],
      });
      const [found] = rows;
      if (!found) return undefined;
      const { isNoted, ...session } = found;
      if (!isNoted) await noteSeen(pool, tokenHash);
      return session;
    },

    async listSessions(operatorId: string): Promise<OpenSession[]> {
      const { rows } = await pool.query<OpenSession>(
        `SELECT ${sessionName} AS id, s.created_at AS "createdAt", s.last_seen_at AS "lastSeenAt",
           s.expires_at AS "expiresAt"
         FROM operator_session s WHERE s.operator_id = $1 AND ${isOpen('$2')}
         ORDER BY s.last_seen_at DESC LIMIT ${maxListed}`,
        [operatorId, maxIdleMs],
      );
      return rows;
    },

    /** Ends one of the actor's own sessions, or all but `keep`; answers how many were open. */
    async revokeSessions(
      actor: Actor,
      which: { name: string } | { keep: string },
    ): Promise<number> {
      return inTransaction(pool, async (client) => {
        const [test, name] = 'name' in which ? ['=', which.name] : ['<>', which.keep];
        const { rows } = await client.query<{ id: string }>(
          `UPDATE operator_session s SET revoked_at = now()
           WHERE s.operator_id = $1 AND ${isOpen('$2')} AND ${sessionName} ${test} $3
           RETURNING ${sessionName} AS id`,
          [actor.operatorId, maxIdleMs, name],
        );
        for (const { id } of rows) {
          await writeAudit(client, actor, { action: 'session.revoke', subject: id });
        }
        return rows.length;
      });
    },
  };
}

export type OperatorSessions = ReturnType<typeof createOperatorSessions>;

const nameCharacters = 32;
const sessionName = `left(encode(s.token_hash, 'hex'), ${nameCharacters})`;

/** What a session is called where its token must not be. */
export function sessionNameOf(tokenHash: Buffer): string {
  return tokenHash.toString('hex').slice(0, nameCharacters);
}

function isOpen(maxIdleMs: string): string {
  return `s.revoked_at IS NULL AND s.expires_at > now()
    AND s.last_seen_at > now() - ${maxIdleMs}::float8 * interval '1 ms'`;
}

async function noteSeen(pool: pg.Pool, tokenHash: Buffer): Promise<void> {
  await pool.query('UPDATE operator_session SET last_seen_at = now() WHERE token_hash = $1', [
    tokenHash,
  ]);
}

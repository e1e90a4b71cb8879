import type pg from 'pg';
import { type Actor, changeWithAudit } from '../audit';
import type { Queryable } from '../transaction';

/** An operator with the password hash. */
export type OperatorRow = {
  id: string;
  accountId: string;
  accountName: string;
  email: string;
  passwordHash: string;
  role: string;
};

export type SessionRow = {
  operator: OperatorRow;
  expiresAt: Date;
  endsAt: Date;
};

export type SessionTimes = { idleMs: number; longestMs: number };

export type SessionListRow = { id: string; createdAt: Date; lastSeenAt: Date; expiresAt: Date };

export const operatorColumns = `o.id, o.account_id AS "accountId", a.name AS "accountName", o.email,
  o.password_hash AS "passwordHash", o.role`;

export type OperatorSessions = {
  createSession(operatorId: string, tokenHash: Buffer, times: SessionTimes): Promise<void>;
  /** The session of a token, unless it has ended. Use extends the session. */
  useSession(tokenHash: Buffer, times: SessionTimes): Promise<SessionRow | undefined>;
  endSession(tokenHash: Buffer): Promise<void>;
  /** Ends a session of this operator. False when the operator has no session with this id. */
  endSessionById(actor: Actor & { operatorId: string }, sessionId: string): Promise<boolean>;
  listSessions(operatorId: string): Promise<SessionListRow[]>;
};

/** The sessions of operators. Tokens are passed as their SHA-256. */
export function createOperatorSessions(pool: pg.Pool): OperatorSessions {
  return {
    createSession: (operatorId: string, tokenHash: Buffer, times: SessionTimes) =>
      createSession(pool, { operatorId, tokenHash, ...times }),

    async useSession(tokenHash: Buffer, times: SessionTimes): Promise<SessionRow | undefined> {
      return useSession(pool, { tokenHash, ...times });
    },

    async endSession(tokenHash: Buffer): Promise<void> {
      await pool.query(
        'UPDATE operator_session SET revoked_at = now() WHERE token_hash = $1 AND revoked_at IS NULL',
        [tokenHash],
      );
    },

    endSessionById: (actor: Actor & { operatorId: string }, sessionId: string) =>
      endSessionById(pool, actor, sessionId),

    async listSessions(operatorId: string): Promise<SessionListRow[]> {
      const { rows } = await pool.query<SessionListRow>(
        `SELECT encode(token_hash, 'hex') AS id, created_at AS "createdAt", last_seen_at AS "lastSeenAt",
           expires_at AS "expiresAt"
         FROM operator_session WHERE operator_id = $1 AND revoked_at IS NULL AND expires_at > now()
         ORDER BY created_at DESC LIMIT ${maxSessionsListed}`,
        [operatorId],
      );
      return rows;
    },
  };
}

const maxSessionsListed = 50;
/** A session in use is written at most once a minute. */
const seenEveryMs = 60_000;

async function createSession(
  client: Queryable,
  session: SessionTimes & { operatorId: string; tokenHash: Buffer },
): Promise<void> {
  const { operatorId, tokenHash, idleMs, longestMs } = session;
  // A sign-in deletes the operator's expired sessions, so that the table does not grow without limit.
  await client.query(
    `DELETE FROM operator_session
     WHERE operator_id = $1 AND expires_at < now() - $2::float8 * interval '1 ms'`,
    [operatorId, longestMs],
  );
  await client.query(
    `INSERT INTO operator_session (token_hash, operator_id, expires_at)
     VALUES ($1, $2, now() + least($3::float8, $4::float8) * interval '1 ms')`,
    [tokenHash, operatorId, idleMs, longestMs],
  );
}

async function useSession(
  pool: pg.Pool,
  { tokenHash, idleMs, longestMs }: SessionTimes & { tokenHash: Buffer },
): Promise<SessionRow | undefined> {
  const { rows } = await pool.query<
    OperatorRow & { expiresAt: Date; endsAt: Date; isOld: boolean }
  >(
    `SELECT ${operatorColumns}, s.expires_at AS "expiresAt",
       s.created_at + $2::float8 * interval '1 ms' AS "endsAt",
       s.last_seen_at < now() - $3::float8 * interval '1 ms' AS "isOld"
     FROM operator_session s JOIN operator o ON o.id = s.operator_id JOIN account a ON a.id = o.account_id
     WHERE s.token_hash = $1 AND s.revoked_at IS NULL AND s.expires_at > now() AND o.disabled_at IS NULL`,
    [tokenHash, longestMs, seenEveryMs],
  );
  const [row] = rows;
  if (!row) return undefined;
  const { expiresAt, endsAt, isOld, ...operator } = row;
  if (!isOld) return { operator, expiresAt, endsAt };
  const { rows: updatedRows } = await pool.query<{ expiresAt: Date }>(
    `UPDATE operator_session SET last_seen_at = now(),
       expires_at = least(now() + $2::float8 * interval '1 ms', created_at + $3::float8 * interval '1 ms')
     WHERE token_hash = $1 AND revoked_at IS NULL RETURNING expires_at AS "expiresAt"`,
    [tokenHash, idleMs, longestMs],
  );
  return { operator, expiresAt: updatedRows[0]?.expiresAt ?? expiresAt, endsAt };
}

async function endSessionById(
  pool: pg.Pool,
  actor: Actor & { operatorId: string },
  sessionId: string,
): Promise<boolean> {
  const entry = { action: 'session.ended', subject: actor.operatorId };
  const ended = await changeWithAudit(pool, actor, entry, async (client) => {
    const { rowCount } = await client.query(
      `UPDATE operator_session SET revoked_at = now()
       WHERE operator_id = $1 AND encode(token_hash, 'hex') = $2 AND revoked_at IS NULL`,
      [actor.operatorId, sessionId],
    );
    return rowCount === 1 ? true : undefined;
  });
  return ended !== undefined;
}

/** Ends the sessions of an operator, except the kept one. */
export async function endOperatorSessions(
  client: Queryable,
  operatorId: string,
  keptTokenHash: Buffer | null = null,
): Promise<void> {
  await client.query(
    `UPDATE operator_session SET revoked_at = now()
     WHERE operator_id = $1 AND token_hash IS DISTINCT FROM $2 AND revoked_at IS NULL`,
    [operatorId, keptTokenHash],
  );
}

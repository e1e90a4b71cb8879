import type pg from 'pg';
import { type Actor, type NewAuditEntry, writeAudit } from '../audit';
import { inTransaction, type Queryable } from '../transaction';
import { endOperatorSessions } from './sessions';
import { deleteTotp } from './totp';

/** An operator, as other operators of the account see them. */
export type PersonRow = {
  id: string;
  email: string;
  role: string;
  createdAt: Date;
  lastSeenAt: Date | null;
  /** Two-step sign-in is on. */
  hasTotp: boolean;
};

/** An unused link. Its id is the hash of its token. */
export type PendingInvitation = {
  id: string;
  email: string;
  role: string;
  createdAt: Date;
  expiresAt: Date;
  invitedBy: string | null;
};

export type NewInvite = { tokenHash: Buffer; email: string; role: string; livesMs: number };

/** Why a change was refused. */
export type PeopleObstacle =
  | 'not_found'
  | 'last_owner'
  /** The actor is no longer an owner. */
  | 'not_owner'
  /** The address is already an operator of the account. */
  | 'is_operator'
  /** Owners turn their own two-step sign-in off with a code. */
  | 'is_self'
  | 'no_totp'
  | 'too_many';

export type PeopleChange<T = object> = T | { obstacle: PeopleObstacle };

const maxPeople = 500;
const maxPending = 100;

/** The operators of an account. Only owners change them, and one owner always remains. */
export function createPeople(pool: pg.Pool) {
  return {
    async list(accountId: string): Promise<PersonRow[]> {
      const { rows } = await pool.query<PersonRow>(
        `SELECT o.id, o.email, o.role, o.created_at AS "createdAt",
           (SELECT max(s.last_seen_at) FROM operator_session s WHERE s.operator_id = o.id) AS "lastSeenAt",
           EXISTS (SELECT FROM operator_totp t WHERE t.operator_id = o.id AND t.confirmed_at IS NOT NULL) AS "hasTotp"
         FROM operator o WHERE o.account_id = $1 AND o.disabled_at IS NULL
         ORDER BY o.email LIMIT ${maxPeople}`,
        [accountId],
      );
      return rows;
    },

    async listInvitations(accountId: string): Promise<PendingInvitation[]> {
      const { rows } = await pool.query<PendingInvitation>(
        `SELECT encode(i.token_hash, 'hex') AS id, coalesce(i.email, '') AS email, i.role,
           i.created_at AS "createdAt", i.expires_at AS "expiresAt", o.email AS "invitedBy"
         FROM invitation i LEFT JOIN operator o ON o.id = i.created_by
         WHERE i.account_id = $1 AND ${isPending} ORDER BY i.created_at DESC LIMIT ${maxPending}`,
        [accountId],
      );
      return rows;
    },

    /** One link per address: a new link ends the earlier ones. */
    invite: (actor: Actor, invite: NewInvite) => createInvite(pool, actor, invite),

    /** The obstacle is `not_found` when no usable link has this id. */
    revoke: (actor: Actor, id: string) => revokeInvitation(pool, actor, id),

    changeRole: (actor: Actor, change: { id: string; role: string }) =>
      changeRole(pool, actor, change),

    /** Also ends the person's sessions, password links and the invitations that they created. */
    remove: (actor: Actor, id: string) => removePerson(pool, actor, id),

    /** For a person who has lost the app and the recovery codes. Also ends the person's sessions. */
    resetTotp: (actor: Actor, id: string) => resetTotp(pool, actor, id),
  };
}

export type People = ReturnType<typeof createPeople>;

const isPending = `i.kind = 'invite' AND i.used_at IS NULL AND i.expires_at > now()`;

/** Returns the audit entry of its change; undefined when there was nothing to change. */
type OwnersWork = (
  client: Queryable,
  owners: readonly string[],
) => Promise<{ obstacle: PeopleObstacle } | { entry: NewAuditEntry | undefined }>;

/**
 * Locks the owners first. If two concurrent calls each remove the other's owner, the second one waits, then finds a
 * single owner. The route has already refused other roles, but the role may have changed since: this check decides.
 */
async function asOwner(pool: pg.Pool, actor: Actor, work: OwnersWork): Promise<PeopleChange> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `SELECT id FROM operator WHERE account_id = $1 AND role = 'owner' AND disabled_at IS NULL
       ORDER BY id FOR NO KEY UPDATE`,
      [actor.accountId],
    );
    const owners = rows.map(({ id }) => id);
    if (!owners.some((id) => id === actor.operatorId)) return { obstacle: 'not_owner' };
    const result = await work(client, owners);
    if ('obstacle' in result) return result;
    if (result.entry) await writeAudit(client, actor, result.entry);
    return {};
  });
}

async function createInvite(
  pool: pg.Pool,
  actor: Actor,
  { tokenHash, email, role, livesMs }: NewInvite,
): Promise<PeopleChange> {
  const { accountId, operatorId } = actor;
  return asOwner(pool, actor, async (client) => {
    const { rows } = await client.query<{ isOperator: boolean; pending: number }>(
      `SELECT EXISTS (SELECT FROM operator WHERE account_id = $1 AND email = $2 AND disabled_at IS NULL) AS "isOperator",
         (SELECT count(*)::int FROM invitation i WHERE i.account_id = $1 AND ${isPending} AND i.email <> $2) AS pending`,
      [accountId, email],
    );
    if (rows[0]?.isOperator) return { obstacle: 'is_operator' };
    if ((rows[0]?.pending ?? 0) >= maxPending) return { obstacle: 'too_many' };
    await client.query(
      `UPDATE invitation i SET expires_at = now() WHERE i.account_id = $1 AND i.email = $2 AND ${isPending}`,
      [accountId, email],
    );
    await client.query(
      `INSERT INTO invitation (token_hash, account_id, kind, email, role, created_by, expires_at)
       VALUES ($1, $2, 'invite', $3, $4, $5, now() + $6::float8 * interval '1 ms')`,
      [tokenHash, accountId, email, role, operatorId, livesMs],
    );
    return { entry: { action: 'invitation.created', subject: email, change: { role } } };
  });
}

async function revokeInvitation(pool: pg.Pool, actor: Actor, id: string): Promise<PeopleChange> {
  return asOwner(pool, actor, async (client) => {
    const { rows } = await client.query<{ email: string | null }>(
      `UPDATE invitation i SET expires_at = now()
       WHERE i.account_id = $1 AND encode(i.token_hash, 'hex') = $2 AND ${isPending} RETURNING i.email`,
      [actor.accountId, id],
    );
    if (!rows[0]) return { obstacle: 'not_found' };
    return { entry: { action: 'invitation.revoked', subject: rows[0].email ?? '' } };
  });
}

async function changeRole(
  pool: pg.Pool,
  actor: Actor,
  { id, role }: { id: string; role: string },
): Promise<PeopleChange> {
  return asOwner(pool, actor, async (client, owners) => {
    const person = await lockPerson(client, actor.accountId, id);
    if (!person) return { obstacle: 'not_found' };
    if (person.role === role) return { entry: undefined };
    if (isLastOwner(id, owners)) return { obstacle: 'last_owner' };
    await client.query('UPDATE operator SET role = $2 WHERE id = $1', [id, role]);
    if (role !== 'owner') await endInvitations(client, id);
    const before = { role: person.role };
    return { entry: { action: 'operator.role_changed', subject: id, change: { role }, before } };
  });
}

async function removePerson(pool: pg.Pool, actor: Actor, id: string): Promise<PeopleChange> {
  return asOwner(pool, actor, async (client, owners) => {
    const person = await lockPerson(client, actor.accountId, id);
    if (!person) return { obstacle: 'not_found' };
    if (isLastOwner(id, owners)) return { obstacle: 'last_owner' };
    const { email, role } = person;
    // The row stays, because audit entries refer to it.
    await client.query(
      `UPDATE operator SET disabled_at = now(), password_hash = '' WHERE id = $1`,
      [id],
    );
    await endOperatorSessions(client, id);
    await deleteTotp(client, id);
    await endInvitations(client, id);
    await client.query(
      `UPDATE invitation SET expires_at = now()
       WHERE account_id = $1 AND kind = 'reset' AND email = $2 AND used_at IS NULL AND expires_at > now()`,
      [actor.accountId, email],
    );
    return { entry: { action: 'operator.removed', subject: id, change: { email, role } } };
  });
}

async function resetTotp(pool: pg.Pool, actor: Actor, id: string): Promise<PeopleChange> {
  return asOwner(pool, actor, async (client) => {
    if (id === actor.operatorId) return { obstacle: 'is_self' };
    const person = await lockPerson(client, actor.accountId, id);
    if (!person) return { obstacle: 'not_found' };
    if (!(await deleteTotp(client, id))) return { obstacle: 'no_totp' };
    // The lost device may have a session.
    await endOperatorSessions(client, id);
    const { email } = person;
    return { entry: { action: 'operator.totp_reset', subject: id, change: { email } } };
  });
}

function isLastOwner(id: string, owners: readonly string[]): boolean {
  return owners.length === 1 && owners[0] === id;
}

async function lockPerson(
  client: Queryable,
  accountId: string,
  id: string,
): Promise<{ email: string; role: string } | undefined> {
  const { rows } = await client.query<{ email: string; role: string }>(
    `SELECT email, role FROM operator WHERE id = $1 AND account_id = $2 AND disabled_at IS NULL
     FOR NO KEY UPDATE`,
    [id, accountId],
  );
  return rows[0];
}

/** Links of an operator who may no longer invite must not work. */
async function endInvitations(client: Queryable, operatorId: string): Promise<void> {
  await client.query(
    `UPDATE invitation i SET expires_at = now() WHERE i.created_by = $1 AND ${isPending}`,
    [operatorId],
  );
}

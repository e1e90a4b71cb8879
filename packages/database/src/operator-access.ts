import { newId } from '@belfry/runtime';
import type pg from 'pg';
import { writeAudit } from './audit';
import { inTransaction, type Queryable, sqlStateOf } from './transaction';

export type OperatorRow = { id: string; accountId: string; email: string; passwordHash: string };

export type NewOperator = { email: string; passwordHash: string };

export type Invitation = { accountId: string; accountName: string; expiresAt: Date };

export type SetUp = { operator: OperatorRow } | { refused: 'link_invalid' | 'email_taken' };

const uniqueViolation = '23505';
/** Any number, as long as all dashboards lock the same one. */
const firstAdministratorLock = 4_401;

/** Those who sign in, and the links by which the first ones come. E-mails are compared in lower case. */
export function createOperators(pool: pg.Pool) {
  return {
    async hasOperators(): Promise<boolean> {
      const { rows } = await pool.query('SELECT 1 FROM operator LIMIT 1');
      return rows.length > 0;
    },

    async findOperator(email: string): Promise<OperatorRow | undefined> {
      const { rows } = await pool.query<OperatorRow>({
        name: 'find-operator',
        text: `SELECT ${operatorColumns} FROM operator WHERE email = $1 AND disabled_at IS NULL`,
        values: [email.toLowerCase()],
      });
      return rows[0];
    },

    /** Of an operator that is signed in. */
    async findPasswordHash(operatorId: string): Promise<string | undefined> {
      const { rows } = await pool.query<{ hash: string }>(
        'SELECT password_hash AS hash FROM operator WHERE id = $1 AND disabled_at IS NULL',
        [operatorId],
      );
      return rows[0]?.hash;
    },

    /** `tokenHash` is the SHA-256 of what the link holds. */
    async createSetUpLink(link: {
      accountId: string;
      tokenHash: Buffer;
      lifetimeMs: number;
    }): Promise<void> {
      await pool.query(
        `INSERT INTO invitation (token_hash, account_id, kind, role, expires_at)
         VALUES ($1, $2, 'setup', 'owner', now() + $3::float8 * interval '1 ms')`,
        [link.tokenHash, link.accountId, link.lifetimeMs],
      );
    },

    async findSetUpLink(tokenHash: Buffer): Promise<Invitation | undefined> {
      const { rows } = await pool.query<Invitation>(
        `SELECT a.id AS "accountId", a.name AS "accountName", i.expires_at AS "expiresAt"
         FROM invitation i JOIN account a ON a.id = i.account_id
         WHERE i.token_hash = $1 AND ${isLinkOpen}`,
        [tokenHash],
      );
      return rows[0];
    },

    setUp: (tokenHash: Buffer, operator: NewOperator) => setUp(pool, tokenHash, operator),

    ensureAdministrator: (operator: NewOperator) => ensureAdministrator(pool, operator),
  };
}

export type Operators = ReturnType<typeof createOperators>;

const operatorColumns = 'id, account_id AS "accountId", email, password_hash AS "passwordHash"';
const isLinkOpen = `i.kind = 'setup' AND i.used_at IS NULL AND i.expires_at > now()`;

/** Uses up the link and makes the operator, or neither. */
async function setUp(pool: pg.Pool, tokenHash: Buffer, operator: NewOperator): Promise<SetUp> {
  try {
    return await inTransaction(pool, async (client) => {
      const { rows } = await client.query<{ accountId: string; role: string }>(
        `UPDATE invitation i SET used_at = now() WHERE i.token_hash = $1 AND ${isLinkOpen}
         RETURNING i.account_id AS "accountId", i.role`,
        [tokenHash],
      );
      const [link] = rows;
      if (!link) return { refused: 'link_invalid' };
      return { operator: await insertOperator(client, { ...operator, ...link }) };
    });
  } catch (error) {
    if (sqlStateOf(error) === uniqueViolation) return { refused: 'email_taken' };
    throw error;
  }
}

/** The operator of the oldest account; true when this call made it. */
async function ensureAdministrator(pool: pg.Pool, operator: NewOperator): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [firstAdministratorLock]);
    const email = operator.email.toLowerCase();
    const known = await client.query('SELECT 1 FROM operator WHERE email = $1', [email]);
    if (known.rows.length > 0) return false;
    const accountId = (await findOldestAccount(client)) ?? (await insertAccount(client));
    await insertOperator(client, { ...operator, accountId, role: 'owner' });
    return true;
  });
}

async function findOldestAccount(client: Queryable): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>('SELECT id FROM account ORDER BY id LIMIT 1');
  return rows[0]?.id;
}

async function insertAccount(client: Queryable): Promise<string> {
  const id = newId();
  await client.query(`INSERT INTO account (id, name) VALUES ($1, 'Account')`, [id]);
  return id;
}

async function insertOperator(
  client: Queryable,
  operator: NewOperator & { accountId: string; role: string },
): Promise<OperatorRow> {
  const { accountId, passwordHash, role } = operator;
  const id = newId();
  const email = operator.email.toLowerCase();
  await client.query(
    `INSERT INTO operator (id, account_id, email, password_hash, role) VALUES ($1, $2, $3, $4, $5)`,
    [id, accountId, email, passwordHash, role],
  );
  const actor = { accountId, operatorId: id };
  await writeAudit(client, actor, { action: 'operator.create', subject: id, change: { role } });
  return { id, accountId, email, passwordHash };
}

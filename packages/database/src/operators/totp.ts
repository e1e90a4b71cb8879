import type pg from 'pg';
import { byteaArray } from '../array-parameters';
import { type Actor, changeWithAudit } from '../audit';
import type { Queryable } from '../transaction';
import { endOperatorSessions } from './sessions';

/** Two-step sign-in of an operator (RFC 6238). */
export type TotpRow = {
  /** Sealed base32; see `totpPlace`. */
  secret: string;
  /** Null until the operator has entered a code: until then, a sign-in asks for none. */
  confirmedAt: Date | null;
  recoveryCodesLeft: number;
};

/** The operator who changes their own sign-in. */
export type OperatorActor = Actor & { operatorId: string };

export type TotpConfirmation = {
  /** The sealed secret that the code belongs to. */
  secret: string;
  step: number;
  recoveryCodes: Buffer[];
  keptTokenHash: Buffer;
};

/** The place to which the TOTP secret of an operator is sealed. */
export function totpPlace(operatorId: string): string {
  return `operator_totp:${operatorId}`;
}

/** Recovery codes are passed as their SHA-256. */
export function createOperatorTotp(pool: pg.Pool) {
  return {
    async find(operatorId: string): Promise<TotpRow | undefined> {
      const { rows } = await pool.query<TotpRow>(
        `SELECT secret, confirmed_at AS "confirmedAt", cardinality(recovery_codes) AS "recoveryCodesLeft"
         FROM operator_totp WHERE operator_id = $1`,
        [operatorId],
      );
      return rows[0];
    },

    /** Stores a secret that no code has confirmed, in place of an earlier one. False if a secret is confirmed. */
    async start(operatorId: string, secret: string): Promise<boolean> {
      const { rowCount } = await pool.query(
        `INSERT INTO operator_totp (operator_id, secret) VALUES ($1, $2)
         ON CONFLICT (operator_id) DO UPDATE SET secret = excluded.secret
         WHERE operator_totp.confirmed_at IS NULL`,
        [operatorId, secret],
      );
      return rowCount === 1;
    },

    /** Turns two-step sign-in on, and ends the other sessions. False if the secret is no longer the stored one. */
    confirm: (self: OperatorActor, confirmation: TotpConfirmation) =>
      confirm(pool, self, confirmation),

    /** False if a code of this time step or a later one was used before. */
    async useStep(operatorId: string, step: number): Promise<boolean> {
      const { rowCount } = await pool.query(
        'UPDATE operator_totp SET last_step = $2 WHERE operator_id = $1 AND last_step < $2',
        [operatorId, step],
      );
      return rowCount === 1;
    },

    /** False if the operator has no such unused code. */
    useRecoveryCode: (self: OperatorActor, code: Buffer) => useRecoveryCode(pool, self, code),

    /** The earlier codes no longer work. */
    replaceRecoveryCodes: (self: OperatorActor, codes: Buffer[]) =>
      replaceRecoveryCodes(pool, self, codes),

    /** Turns two-step sign-in off, and ends the other sessions. */
    remove: (self: OperatorActor, keptTokenHash: Buffer) => remove(pool, self, keptTokenHash),
  };
}

export type OperatorTotp = ReturnType<typeof createOperatorTotp>;

/** Returns whether a sign-in asked for a code before. */
export async function deleteTotp(client: Queryable, operatorId: string): Promise<boolean> {
  const { rows } = await client.query<{ wasOn: boolean }>(
    `DELETE FROM operator_totp WHERE operator_id = $1 RETURNING confirmed_at IS NOT NULL AS "wasOn"`,
    [operatorId],
  );
  return rows[0]?.wasOn ?? false;
}

async function confirm(
  pool: pg.Pool,
  self: OperatorActor,
  { secret, step, recoveryCodes, keptTokenHash }: TotpConfirmation,
): Promise<boolean> {
  return changeOwn(pool, self, 'operator.totp_added', async (client) => {
    const { rowCount } = await client.query(
      `UPDATE operator_totp SET confirmed_at = now(), last_step = $3, recovery_codes = $4
       WHERE operator_id = $1 AND secret = $2 AND confirmed_at IS NULL`,
      [self.operatorId, secret, step, byteaArray(recoveryCodes)],
    );
    if (rowCount !== 1) return false;
    await endOperatorSessions(client, self.operatorId, keptTokenHash);
    return true;
  });
}

async function useRecoveryCode(pool: pg.Pool, self: OperatorActor, code: Buffer): Promise<boolean> {
  return changeOwn(pool, self, 'operator.recovery_code_used', async (client) => {
    const { rowCount } = await client.query(
      `UPDATE operator_totp SET recovery_codes = array_remove(recovery_codes, $2)
       WHERE operator_id = $1 AND confirmed_at IS NOT NULL AND $2 = ANY (recovery_codes)`,
      [self.operatorId, code],
    );
    return rowCount === 1;
  });
}

async function replaceRecoveryCodes(
  pool: pg.Pool,
  self: OperatorActor,
  codes: Buffer[],
): Promise<boolean> {
  return changeOwn(pool, self, 'operator.recovery_codes_created', async (client) => {
    const { rowCount } = await client.query(
      'UPDATE operator_totp SET recovery_codes = $2 WHERE operator_id = $1 AND confirmed_at IS NOT NULL',
      [self.operatorId, byteaArray(codes)],
    );
    return rowCount === 1;
  });
}

async function remove(pool: pg.Pool, self: OperatorActor, keptTokenHash: Buffer): Promise<boolean> {
  return changeOwn(pool, self, 'operator.totp_removed', async (client) => {
    if (!(await deleteTotp(client, self.operatorId))) return false;
    await endOperatorSessions(client, self.operatorId, keptTokenHash);
    return true;
  });
}

/** `work` returns false when it changed nothing: then there is no audit entry. */
async function changeOwn(
  pool: pg.Pool,
  self: OperatorActor,
  action: string,
  work: (client: Queryable) => Promise<boolean>,
): Promise<boolean> {
  const entry = { action, subject: self.operatorId };
  const changed = await changeWithAudit(pool, self, entry, async (client) => {
    return (await work(client)) || undefined;
  });
  return changed !== undefined;
}

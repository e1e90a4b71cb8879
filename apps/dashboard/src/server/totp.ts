import { createHash } from 'node:crypto';
import { type OperatorActor, type OperatorTotp, type TotpRow, totpPlace } from '@belfry/database';
import type { Secrets } from '@belfry/runtime';
import type { Request } from 'express';
import { Secret, TOTP } from 'otpauth';
import { Refusal } from './problem';
import type { SignInLimits } from './sign-in-limits';

/** The only values that every authenticator app supports. */
const options = { issuer: 'Belfry', algorithm: 'SHA1', digits: 6, period: 30 };
/** Codes of this many steps before and after the current one are accepted, because clocks differ. */
const stepsAround = 1;
const secretBytes = 20;
const recoveryCodeCount = 10;
/** As random as a token, so its SHA-256 needs no salt and no slow hash. */
const recoveryCodeBytes = 10;

export type TotpDeps = {
  store: OperatorTotp;
  secrets: Pick<Secrets, 'seal' | 'open'>;
  limits: Pick<SignInLimits, 'beginCode'>;
  now: () => number;
};

/** The operator who enters a code, and the call, by which attempts are limited. */
export type CodeCall = { req: Request; self: OperatorActor; code: string };

/** Two-step sign-in by TOTP (RFC 6238) with recovery codes. */
export function createTotp(deps: TotpDeps) {
  const { store } = deps;
  return {
    find: (operatorId: string) => store.find(operatorId),

    async isOn(operatorId: string): Promise<boolean> {
      return Boolean((await store.find(operatorId))?.confirmedAt);
    },

    /** Uses up a code of the app, with the earlier ones, or a recovery code. */
    checkCode: (call: CodeCall) => checkCode(deps, call),

    /** A new secret for an authenticator app. `label` is what the app shows beside its codes. */
    start: (self: OperatorActor, label: string) => start(deps, self, label),

    /** Turns two-step sign-in on, and returns the recovery codes. */
    confirm: (call: CodeCall, keptTokenHash: Buffer) => confirm(deps, call, keptTokenHash),

    async replaceRecoveryCodes(self: OperatorActor): Promise<string[]> {
      const { codes, hashes } = createRecoveryCodes();
      if (!(await store.replaceRecoveryCodes(self, hashes))) throw notOn();
      return codes;
    },

    remove: (self: OperatorActor, keptTokenHash: Buffer) => store.remove(self, keptTokenHash),
  };
}

export type Totp = ReturnType<typeof createTotp>;

async function checkCode(deps: TotpDeps, { req, self, code }: CodeCall): Promise<void> {
  const row = await deps.store.find(self.operatorId);
  if (!row?.confirmedAt) throw notOn();
  const succeed = deps.limits.beginCode(req, self.operatorId);
  if (!(await useCode(deps, row, { self, code: normalizeCode(code) }))) throw wrongCode();
  succeed();
}

async function start({ store, secrets }: TotpDeps, self: OperatorActor, label: string) {
  const secret = new Secret({ size: secretBytes });
  const sealed = secrets.seal(secret.base32, totpPlace(self.operatorId));
  if (!(await store.start(self.operatorId, sealed))) {
    throw new Refusal('wrong_state', 'Two-step sign-in is already on.');
  }
  return { secret: secret.base32, uri: new TOTP({ ...options, label, secret }).toString() };
}

async function confirm(
  deps: TotpDeps,
  { req, self, code }: CodeCall,
  keptTokenHash: Buffer,
): Promise<string[]> {
  const row = await deps.store.find(self.operatorId);
  if (row?.confirmedAt) {
    throw new Refusal(
      'wrong_state',
      'Two-step sign-in is already on. Close this dialog, then create new recovery codes.',
    );
  }
  if (!row) throw startAgain();
  const succeed = deps.limits.beginCode(req, self.operatorId);
  const step = findStep(deps, row, { self, code: normalizeCode(code) });
  if (step === undefined) throw wrongCode();
  succeed();
  const { codes, hashes: recoveryCodes } = createRecoveryCodes();
  const confirmation = { secret: row.secret, step, recoveryCodes, keptTokenHash };
  if (!(await deps.store.confirm(self, confirmation))) throw startAgain();
  return codes;
}

type PlainCode = { self: OperatorActor; code: string };

async function useCode(deps: TotpDeps, row: TotpRow, { self, code }: PlainCode): Promise<boolean> {
  const { store } = deps;
  if (recoveryShape.test(code)) return store.useRecoveryCode(self, hashRecoveryCode(code));
  const step = findStep(deps, row, { self, code });
  return step !== undefined && store.useStep(self.operatorId, step);
}

/** The time step of a code of the app; undefined if the code is wrong now. */
function findStep(
  { secrets, now }: TotpDeps,
  { secret }: TotpRow,
  { self, code }: PlainCode,
): number | undefined {
  // The library throws for six characters that are more than six bytes.
  if (!codeShape.test(code)) return undefined;
  const opened = secrets.open(secret, totpPlace(self.operatorId));
  const totp = new TOTP({ ...options, secret: opened });
  const timestamp = now();
  const delta = totp.validate({ token: code, timestamp, window: stepsAround });
  return delta === null ? undefined : totp.counter({ timestamp }) + delta;
}

const codeShape = /^\d{6}$/;
const recoveryShape = /^[A-Z2-7]{16}$/;

function normalizeCode(code: string): string {
  return code.replace(/[\s-]/g, '').toUpperCase();
}

function createRecoveryCodes(): { codes: string[]; hashes: Buffer[] } {
  const plainCodes = Array.from(
    { length: recoveryCodeCount },
    () => new Secret({ size: recoveryCodeBytes }).base32,
  );
  return {
    codes: plainCodes.map((code) => code.toLowerCase().replace(/(.{4})(?=.)/g, '$1-')),
    hashes: plainCodes.map(hashRecoveryCode),
  };
}

function hashRecoveryCode(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}

function wrongCode(): Refusal {
  return new Refusal('wrong_code', 'This code is wrong or was used before. Try the next one.', {
    fields: [{ path: 'code', problem: 'is wrong or was used before. Try the next one' }],
  });
}

function notOn(): Refusal {
  return new Refusal('wrong_state', 'Two-step sign-in is not on.');
}

function startAgain(): Refusal {
  return new Refusal('wrong_state', 'The secret was replaced. Start again.');
}

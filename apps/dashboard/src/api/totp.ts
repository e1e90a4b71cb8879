import { type Static, Type } from '@sinclair/typebox';
import type { RouteSpec } from './route-spec';
import { codeSchema, done, nullable, passwordSchema, time } from './schemas';

const totpState = Type.Object({
  /** Null if a sign-in asks only for the password. */
  addedAt: nullable(time),
  recoveryCodesLeft: Type.Integer(),
});
export type TotpState = Static<typeof totpState>;

const newSecret = Type.Object({
  /** Base32, to enter into an authenticator app by hand. */
  secret: Type.String(),
  /** The same as `otpauth://totp/…`, for a QR code. */
  uri: Type.String(),
});
export type NewTotpSecret = Static<typeof newSecret>;

/** Shown only once. Each code works once. */
const recoveryCodes = Type.Object({ recoveryCodes: Type.Array(Type.String()) });

const confirmation = Type.Object({ password: passwordSchema, code: codeSchema });

/** Two-step sign-in of the operator: a time-based code (TOTP, RFC 6238) or a recovery code after the password. */
export const totpRoutes = {
  'GET /api/totp': { access: 'viewer', answer: totpState },
  /** Creates a secret, which has no effect before it is confirmed. 409 `wrong_state` if two-step sign-in is on. */
  'POST /api/totp': {
    access: 'viewer',
    body: Type.Object({ password: passwordSchema }),
    answer: newSecret,
    hasSecret: true,
  },
  /** Turns two-step sign-in on with a code of the new secret. Ends the operator's other sessions. */
  'POST /api/totp/confirm': {
    access: 'viewer',
    body: Type.Object({ code: codeSchema }),
    answer: recoveryCodes,
    hasSecret: true,
    audit: 'operator.totp_added',
  },
  /** Replaces all recovery codes. */
  'POST /api/totp/recovery-codes': {
    access: 'viewer',
    body: confirmation,
    answer: recoveryCodes,
    hasSecret: true,
    audit: 'operator.recovery_codes_created',
  },
  /** Turns two-step sign-in off. Ends the operator's other sessions. */
  'DELETE /api/totp': {
    access: 'viewer',
    body: confirmation,
    answer: done,
    audit: 'operator.totp_removed',
  },
} as const satisfies Record<string, RouteSpec>;

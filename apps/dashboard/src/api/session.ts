import { type Static, Type } from '@sinclair/typebox';
import type { RouteSpec } from './route-spec';
import { codeSchema, done, emailSchema, nullable, passwordSchema, time } from './schemas';

export const roleSchema = Type.Union(
  [Type.Literal('owner'), Type.Literal('editor'), Type.Literal('viewer')],
  { 'x-problem': 'must be owner, editor or viewer' },
);
export type Role = Static<typeof roleSchema>;

const connection = Type.Object({
  /** `plain`: HTTP on loopback. The cookie is not `Secure`; the page shows that. */
  kind: Type.Union([Type.Literal('https'), Type.Literal('plain')]),
  version: Type.String(),
  /** URL of the gateway, for curl examples. */
  gatewayUrl: Type.String(),
});
export type Connection = Static<typeof connection>;

const session = Type.Union([
  Type.Object({
    state: Type.Literal('signed_out'),
    /** No operator exists. The page points to the set-up link that `npm start` printed. */
    needsSetUp: Type.Boolean(),
    connection,
  }),
  Type.Object({
    state: Type.Literal('signed_in'),
    operator: Type.Object({ id: Type.String(), email: Type.String(), role: roleSchema }),
    account: Type.Object({ id: Type.String(), name: Type.String() }),
    /** Extended with each use, up to `endsAt`. */
    expiresAt: time,
    endsAt: time,
    connection,
  }),
]);
export type SessionAnswer = Static<typeof session>;

const linkToken = Type.String({
  maxLength: 43,
  pattern: '^[A-Za-z0-9_-]{43}$',
  'x-problem': 'is not a valid link token',
});

const setUpLook = Type.Object({
  /** `reset`: an operator sets a new password. */
  kind: Type.Union([Type.Literal('setup'), Type.Literal('invite'), Type.Literal('reset')]),
  /** Address of the invitation; read-only in the form. */
  email: nullable(Type.String()),
  /** Role that an invitation grants; null for other links. */
  role: nullable(roleSchema),
  accountName: Type.String(),
  expiresAt: time,
  minPasswordLength: Type.Integer(),
});
export type SetUpLookAnswer = Static<typeof setUpLook>;

/** The operator's own, newest first. */
const sessionList = Type.Object({
  sessions: Type.Array(
    Type.Object({
      id: Type.String(),
      isThisOne: Type.Boolean(),
      createdAt: time,
      lastSeenAt: time,
      expiresAt: time,
    }),
  ),
});

export const sessionRoutes = {
  /** Always 200. */
  'GET /api/session': { access: 'anyone', answer: session },
  /**
   * `accountId` after 409 `choose_account`, `code` after 401 `needs_code`. A recovery code writes
   * operator.recovery_code_used.
   */
  'POST /api/session': {
    access: 'anyone',
    body: Type.Object({
      accountId: Type.Optional(Type.String({ maxLength: 36 })),
      email: Type.String({ maxLength: 254 }),
      password: passwordSchema,
      code: Type.Optional(codeSchema),
    }),
    answer: session,
  },
  'DELETE /api/session': { access: 'anyone', answer: done },
  /** Checks whether a link is valid. 410 `link_ended` if not. */
  'POST /api/set-up/look': {
    access: 'anyone',
    body: Type.Object({ token: linkToken }),
    answer: setUpLook,
  },
  /**
   * Creates the operator or sets the new password, consumes the link and signs in. With two-step sign-in, a new password
   * does not sign in: the answer is `signed_out`.
   */
  'POST /api/set-up': {
    access: 'anyone',
    body: Type.Object({ token: linkToken, email: emailSchema, password: passwordSchema }),
    answer: session,
    audit: 'operator.link_used',
  },
  'GET /api/sessions': { access: 'viewer', answer: sessionList },
  'DELETE /api/sessions/:id': { access: 'viewer', answer: done, audit: 'session.ended' },
  /** Ends the operator's other sessions. */
  'PUT /api/password': {
    access: 'viewer',
    body: Type.Object({ password: passwordSchema, newPassword: passwordSchema }),
    answer: done,
    audit: 'operator.password_changed',
  },
} as const satisfies Record<string, RouteSpec>;

import { type Static, Type } from '@sinclair/typebox';
import type { RouteSpec } from './route-spec';
import { done, emailSchema, nullable, passwordSchema, time } from './schemas';
import { roleSchema } from './session';

const personRow = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role: roleSchema,
  isYou: Type.Boolean(),
  since: time,
  /** Null if the person has not signed in since then. */
  lastSeenAt: nullable(time),
  /** Two-step sign-in is on. */
  hasTotp: Type.Boolean(),
});
export type PersonRow = Static<typeof personRow>;

const invitationRow = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role: roleSchema,
  /** E-mail address of an operator. */
  invitedBy: nullable(Type.String()),
  createdAt: time,
  expiresAt: time,
});
export type InvitationRow = Static<typeof invitationRow>;

/** Operators and pending invitations. */
const people = Type.Object({
  people: Type.Array(personRow),
  invitations: Type.Array(invitationRow),
});
export type PeopleAnswer = Static<typeof people>;

export const peopleRoutes = {
  'GET /api/people': { access: 'viewer', answer: people },
  /**
   * 409 `name_taken` if the address belongs to an operator of this account. The token is returned only once. The link
   * is `<dashboard>/join#<token>`.
   */
  'POST /api/people/invitations': {
    access: 'owner',
    body: Type.Object({ email: emailSchema, role: roleSchema, password: passwordSchema }),
    answer: Type.Object({ token: Type.String(), expiresAt: time, people }),
    audit: 'invitation.created',
  },
  'DELETE /api/people/invitations/:id': {
    access: 'owner',
    answer: people,
    audit: 'invitation.revoked',
  },
  /** 409 `wrong_state` for the last owner. */
  'PATCH /api/people/:id': {
    access: 'owner',
    body: Type.Object({ role: roleSchema, password: passwordSchema }),
    answer: people,
    audit: 'operator.role_changed',
  },
  /** 409 `wrong_state` for the last owner. Owners who remove themselves have no session any more, so no list either. */
  'DELETE /api/people/:id': {
    access: 'owner',
    body: Type.Object({ password: passwordSchema }),
    answer: Type.Union([people, done]),
    audit: 'operator.removed',
  },
  /** Turns two-step sign-in off for another person and ends their sessions. 409 `wrong_state` if it is not on. */
  'DELETE /api/people/:id/totp': {
    access: 'owner',
    body: Type.Object({ password: passwordSchema }),
    answer: people,
    audit: 'operator.totp_reset',
  },
} as const satisfies Record<string, RouteSpec>;

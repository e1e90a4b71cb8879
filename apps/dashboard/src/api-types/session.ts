import { type Static, Type } from '@sinclair/typebox';

const maxEmailCharacters = 254;
/** Only a bound: what is too short is refused where a password is chosen. */
const maxPasswordCharacters = 256;

export const email = Type.String({
  maxLength: maxEmailCharacters,
  pattern: '^[^\\s@]+@[^\\s@]+$',
  'x-problem': 'must be an e-mail address',
});

export const password = Type.String({ minLength: 1, maxLength: maxPasswordCharacters });

export const newPassword = Type.String({
  minLength: 12,
  maxLength: maxPasswordCharacters,
  'x-problem': 'must have at least 12 characters',
});

const token = Type.String({ minLength: 1, maxLength: 128 });

/** GET /api/welcome: what the page must know before anybody is signed in. */
export type Welcome = {
  hasOperators: boolean;
  /** The cookie travels in clear: only right on this machine, and the page says so. */
  isPlainHttp: boolean;
};

/** POST /api/setup/check */
export const setUpLinkBody = Type.Object({ token });
export type SetUpLinkBody = Static<typeof setUpLinkBody>;
export type SetUpLink = { accountName: string; expiresAt: string };

/** POST /api/setup, answered with a SessionInfo. */
export const setUpBody = Type.Object({ token, email, password: newPassword });
export type SetUpBody = Static<typeof setUpBody>;

/** POST /api/sign-in, answered with a SessionInfo. */
export const signInBody = Type.Object({ email, password });
export type SignInBody = Static<typeof signInBody>;

/** GET /api/session */
export type SessionInfo = {
  operator: { id: string; email: string; role: string };
  account: { id: string; name: string };
  expiresAt: string;
};

/** GET /api/sessions */
export type SessionList = {
  sessions: {
    id: string;
    createdAt: string;
    lastSeenAt: string;
    expiresAt: string;
    isThisOne: boolean;
  }[];
};

/** DELETE /api/sessions/:session_id, DELETE /api/sessions (all but this one) */
export type SessionsEnded = { ended: number };

/** What a change answers that has nothing to tell. */
export type Done = { success: true };

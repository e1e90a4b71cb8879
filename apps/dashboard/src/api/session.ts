/** GET api/session: always 200. */
export type SessionAnswer =
  | {
      state: 'signed_out';
      /** No operator exists yet: the page says to use the set-up link that `npm start` printed. */
      needsSetUp: boolean;
      connection: Connection;
    }
  | {
      state: 'signed_in';
      operator: OperatorAnswer;
      account: { id: string; name: string };
      /** Unix milliseconds; moves on with use, until `endsAt`. */
      expiresAt: number;
      endsAt: number;
      connection: Connection;
    };

export type Connection = {
  /** `plain`: HTTP on loopback, the cookie is not `Secure`, and the page says so. */
  kind: 'https' | 'plain';
  version: string;
  /** Where callers reach the gateway, for curl. */
  gatewayUrl: string;
};

export type Role = 'owner' | 'editor' | 'viewer';

export type OperatorAnswer = { id: string; email: string; role: Role };

/** POST api/session; answers SessionAnswer. `accountId` after 409 `choose_account`. */
export type SignInBody = { email: string; password: string; accountId?: string };

/** POST api/set-up/look: whether a link may still be used. 410 `link_ended` where not. */
export type SetUpLookBody = { token: string };
export type SetUpLookAnswer = {
  /** `reset`: an operator gives a new password. */
  kind: 'setup' | 'invite' | 'reset';
  /** Given by the invitation; the form keeps it. */
  email: string | null;
  /** What an invitation makes of who takes it; null for other links. */
  role: Role | null;
  accountName: string;
  expiresAt: number;
  minPasswordLength: number;
};

/** POST api/set-up: makes the operator, uses the link up, signs in; answers SessionAnswer. */
export type SetUpBody = { token: string; email: string; password: string };

/** GET api/sessions: the operator's own, newest first. */
export type SessionListAnswer = { sessions: SessionRow[] };
export type SessionRow = {
  id: string;
  isThisOne: boolean;
  createdAt: number;
  lastSeenAt: number;
  expiresAt: number;
};

/** PUT api/password: other sessions of the operator end; answers Done. */
export type PasswordBody = { password: string; newPassword: string };

export type Done = { success: true };

/** GET api/session: always 200. */
export type SessionAnswer =
  | {
      state: 'signed_out';
      /** No operator exists. The page points to the set-up link that `npm start` printed. */
      needsSetUp: boolean;
      connection: Connection;
    }
  | {
      state: 'signed_in';
      operator: OperatorAnswer;
      account: { id: string; name: string };
      /** Unix milliseconds; extended with each use, up to `endsAt`. */
      expiresAt: number;
      endsAt: number;
      connection: Connection;
    };

export type Connection = {
  /** `plain`: HTTP on loopback. The cookie is not `Secure`; the page shows that. */
  kind: 'https' | 'plain';
  version: string;
  /** URL of the gateway, for curl examples. */
  gatewayUrl: string;
};

export type Role = 'owner' | 'editor' | 'viewer';

export type OperatorAnswer = { id: string; email: string; role: Role };

/** POST api/session; answers SessionAnswer. `accountId` after 409 `choose_account`. */
export type SignInBody = { email: string; password: string; accountId?: string };

/** POST api/set-up/look: checks whether a link is valid. 410 `link_ended` if not. */
export type SetUpLookBody = { token: string };
export type SetUpLookAnswer = {
  /** `reset`: an operator sets a new password. */
  kind: 'setup' | 'invite' | 'reset';
  /** Address of the invitation; read-only in the form. */
  email: string | null;
  /** Role that an invitation grants; null for other links. */
  role: Role | null;
  accountName: string;
  expiresAt: number;
  minPasswordLength: number;
};

/** POST api/set-up: creates the operator, consumes the link and signs in. Answers SessionAnswer. */
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

/** PUT api/password: ends the operator's other sessions. Answers Done. */
export type PasswordBody = { password: string; newPassword: string };

export type Done = { success: true };

/** GET api/keys: usable keys and keys revoked within the last 30 days, newest first. */
export type KeyListAnswer = { keys: KeyRow[]; maxActive: number };

export type KeyRow = {
  id: string;
  /** The key without its secret: `bk_7Qd2…`. */
  hint: string;
  state: 'active' | 'ending' | 'ended';
  createdAt: number;
  lastUsedAt: number | null;
  /** Set while the key is ending: when it expires. */
  expiresAt: number | null;
};

/** POST api/keys/:id/show: 403 `wrong_password`. */
export type ShowKeyBody = { password: string };
export type ShowKeyAnswer = { id: string; key: string };

/** POST api/keys: creates a key; 409 `wrong_state` if two are active. Answers ShowKeyAnswer. */
export type NewKeyBody = { password: string };

/**
 * POST api/keys/:id/end: revokes the key now, or after `afterMs` so that callers can switch to the other key. 409
 * `needs_confirmation` for the only active key. Answers KeyListAnswer.
 */
export type EndKeyBody = { password: string; afterMs?: number; confirm?: boolean };

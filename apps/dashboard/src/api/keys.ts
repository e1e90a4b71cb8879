/** GET api/keys: those that may be used, and those that ended within 30 days, newest first. */
export type KeyListAnswer = { keys: KeyRow[]; maxActive: number };

export type KeyRow = {
  id: string;
  /** What the key looks like, without its secret: `bk_7Qd2…`. */
  hint: string;
  state: 'active' | 'ending' | 'ended';
  createdAt: number;
  lastUsedAt: number | null;
  /** While it is ending: until when it may still be used. */
  expiresAt: number | null;
};

/** POST api/keys/:id/show: 403 `wrong_password`. */
export type ShowKeyBody = { password: string };
export type ShowKeyAnswer = { id: string; key: string };

/** POST api/keys: makes one more; 409 `wrong_state` when two are active already. Answers ShowKeyAnswer. */
export type NewKeyBody = { password: string };

/**
 * POST api/keys/:id/end: the key ends at once, or after a while in which callers can change to the other one.
 * 409 `needs_confirmation` for the only active one. Answers KeyListAnswer.
 */
export type EndKeyBody = { password: string; afterMs?: number; confirm?: boolean };

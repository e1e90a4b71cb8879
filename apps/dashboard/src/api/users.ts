/**
 * GET api/apps/:appId/users?text=&after=: sorted by id; with `text`, users with an id or address that starts with it.
 */
export type UserListAnswer = {
  users: UserRow[];
  /** Without `text`: the `after` of the next page. */
  next: string | null;
  /** More users match than are returned; a longer text narrows the result. */
  isPartial: boolean;
};

export type UserRow = {
  /** The id in every path. Callers use `userId`. */
  sid: string;
  userId: string;
  email: string | null;
  mobile: string | null;
  /** The field that matched the search; null without a search. */
  matched: string | null;
  createdAt: number;
  updatedAt: number;
};

/** GET api/apps/:appId/users/:userSid */
export type UserAnswer = {
  sid: string;
  userId: string;
  createdAt: number;
  updatedAt: number;
  /** Contact data in wire names; the Slack token is masked. */
  contact: Record<string, unknown>;
  preferences: UserPreferences;
  devices: UserDevice[];
  /** The address each channel would use now, or why there is none. */
  addresses: UserAddress[];
  suppressions: SuppressionRow[];
};

export type UserPreferences = {
  locale: string | null;
  isAllOff: boolean;
  channelsOff: string[];
};

export type UserDevice = {
  sid: string;
  clientId: string | null;
  token: string | null;
  onesignalPlayerId: string | null;
  platform: string | null;
  isDisabled: boolean;
  /** The provider's error for the token; null if the app disabled it. */
  disabledReason: string | null;
  createdAt: number;
  updatedAt: number;
};

export type UserAddress = {
  channel: string;
  address: string | null;
  /** How the address was normalized, or why there is none. */
  note: string | null;
  /** Why no message reaches the address now, whatever event and sender it has. */
  obstacle: { reason: string; what: string } | null;
};

/**
 * DELETE api/apps/:appId/users/:userSid; answers ErasureRow. 409 `needs_confirmation` unless `confirmUserId` is the
 * id of the user.
 */
export type EraseUserBody = { confirmUserId: string };

/** GET api/apps/:appId/erasures: newest first, 20. */
export type ErasureListAnswer = { erasures: ErasureRow[] };

export type ErasureRow = {
  id: string;
  userSid: string;
  /** Number of messages whose address and content were erased. */
  messages: number;
  erasedBy: string | null;
  at: number;
  /** Null while messages may still be in flight. */
  finishedAt: number | null;
};

/** GET api/apps/:appId/suppressions?text=&after=: sorted by address, 50 per page. */
export type SuppressionListAnswer = { suppressions: SuppressionRow[]; next: string | null };

export type SuppressionRow = {
  id: string;
  channel: string;
  address: string;
  /** The sender it applies to; null for every sender of the app. */
  sender: string | null;
  reason: string;
  detail: string | null;
  /** E-mail address of the operator; null if a provider reported it. */
  addedBy: string | null;
  at: number;
};

/** POST api/apps/:appId/suppressions; answers SuppressionRow. 409 `name_taken` if the address is already suppressed. */
export type NewSuppressionBody = { channel: string; address: string; detail: string };

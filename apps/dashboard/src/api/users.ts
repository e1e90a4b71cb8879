/** GET api/apps/:appId/users?text=&after=: in the order of ids; with `text`, who has an id or address that begins so. */
export type UserListAnswer = {
  users: UserRow[];
  /** Of a list without `text`: the `after` of the next page. */
  next: string | null;
  /** More match than are shown: a longer text finds fewer. */
  isPartial: boolean;
};

export type UserRow = {
  /** In every path; the id that callers know is `userId`. */
  sid: string;
  userId: string;
  email: string | null;
  mobile: string | null;
  /** The field that begins so; null without a search. */
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
  /** As given, in wire names; the Slack token is masked. */
  contact: Record<string, unknown>;
  preferences: UserPreferences;
  devices: UserDevice[];
  /** Where each channel would reach the person now, or why it would not. */
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
  /** What a provider said of its token; null where the app itself switched it off. */
  disabledReason: string | null;
  createdAt: number;
  updatedAt: number;
};

export type UserAddress = {
  channel: string;
  address: string | null;
  /** What was changed to get there, or why there is no address. */
  note: string | null;
};

/** DELETE api/apps/:appId/users/:userSid; answers ErasureRow. 409 `needs_confirmation` unless it is the user's id. */
export type EraseUserBody = { confirmUserId: string };

/** GET api/apps/:appId/erasures: newest first, 20. */
export type ErasureListAnswer = { erasures: ErasureRow[] };

export type ErasureRow = {
  id: string;
  userSid: string;
  /** Whose address and content were taken away. */
  messages: number;
  erasedBy: string | null;
  at: number;
  /** Null while something may still be in flight. */
  finishedAt: number | null;
};

/** GET api/apps/:appId/suppressions?text=&after=: in the order of addresses, 50 a page. */
export type SuppressionListAnswer = { suppressions: SuppressionRow[]; next: string | null };

export type SuppressionRow = {
  id: string;
  channel: string;
  address: string;
  /** The sender that it holds for; null for every sender of the app. */
  sender: string | null;
  reason: string;
  detail: string | null;
  /** An operator's address; null where a provider told it. */
  addedBy: string | null;
  at: number;
};

/** POST api/apps/:appId/suppressions; answers SuppressionRow. 409 `name_taken` where it is on the list. */
export type NewSuppressionBody = { channel: string; address: string; detail: string };

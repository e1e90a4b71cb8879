/** A notification, with the field names of the API. Its texts are plain text. Times are Unix milliseconds. */
export type InboxItem = {
  readonly message_id: string;
  readonly message_body: {
    readonly title?: string;
    readonly body?: string;
    readonly click_action?: string;
    readonly image?: string;
    readonly data?: { readonly [name: string]: unknown };
  };
  /** When it was delivered. */
  readonly timestamp: number;
  readonly seen_at: number | null;
  readonly read_at: number | null;
  readonly archived_at: number | null;
};

/** The gateway counts up to 1,000. Archived items do not count. */
export type InboxCounts = { readonly unseen: number; readonly unread: number };

/** `code` is the gateway's, or `network_error`, `token_failed`, `too_many_changes`. */
export type InboxError = {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
  readonly during: 'load' | 'change';
};

/** How news arrives. `paused`: every tab is hidden. `offline`: the gateway cannot be reached. */
export type InboxConnection = 'connecting' | 'streaming' | 'polling' | 'offline' | 'paused';

/** Each change makes a new snapshot; unchanged items keep their identity. */
export type InboxSnapshot = {
  readonly status: 'loading' | 'ready' | 'error';
  /** Newest first, without archived items. */
  readonly items: readonly InboxItem[];
  readonly counts: InboxCounts;
  readonly hasOlder: boolean;
  /** Newer items were dropped when older ones were loaded: `maxItems` limits what is kept. */
  readonly hasNewer: boolean;
  readonly isLoadingOlder: boolean;
  readonly isLoadingNewer: boolean;
  readonly connection: InboxConnection;
  /** Why the last load or change failed. */
  readonly error: InboxError | undefined;
};

export type InboxOptions = {
  /** Base URL of the gateway, such as `https://notify.example.com`. */
  url: string;
  appId: string;
  userId: string;
  /** Gets a JWT for this user from your backend. Called once, and again when the gateway refuses the token. */
  getToken?: (() => string | Promise<string>) | undefined;
  /** HMAC-SHA256 of the `user_id`, for backends that sign in the older way. */
  signature?: string | undefined;
  /** Items per page: 1 to 100, default 20. */
  pageSize?: number | undefined;
  /** How many items are kept in memory: at least two pages, default 500. */
  maxItems?: number | undefined;
  /** Replaces the global one. */
  fetch?: typeof fetch | undefined;
};

/** A change resolves with false if the gateway refused it. Then it is undone, and `error` of the snapshot has the reason. */
export type Inbox = {
  /** The inbox connects while it has subscribers. */
  subscribe(listener: () => void): () => void;
  getSnapshot(): InboxSnapshot;
  /** Loads the newest page again. */
  refresh(): Promise<void>;
  loadOlder(): Promise<void>;
  loadNewer(): Promise<void>;
  markSeen(item: ItemReference): Promise<boolean>;
  markRead(item: ItemReference): Promise<boolean>;
  markUnread(item: ItemReference): Promise<boolean>;
  archive(item: ItemReference): Promise<boolean>;
  unarchive(item: ItemReference): Promise<boolean>;
  /** These three include older items that are not loaded, but none that is newer than the newest shown one. */
  markAllSeen(): Promise<boolean>;
  markAllRead(): Promise<boolean>;
  archiveAll(): Promise<boolean>;
  /** A page of archived items; undefined if the call failed. `before` of the result gets the next page. */
  listArchived(before?: string): Promise<ArchivedPage | undefined>;
  /** Disconnects for good. */
  close(): void;
};

/** An item or its `message_id`. */
export type ItemReference = InboxItem | string;

export type ArchivedPage = { items: readonly InboxItem[]; before: string | undefined };

export { createInbox } from './inbox';
export type {
  ArchivedPage,
  Inbox,
  InboxConnection,
  InboxCounts,
  InboxError,
  InboxItem,
  InboxOptions,
  InboxSnapshot,
  ItemReference,
} from './types';

import type { Definition } from './events';

/**
 * POST api/apps/:appId/events/:eventId/test: stores the draft as a version of kind `test`, then accepts it like any
 * call.
 */
export type TestSendBody = {
  definition: Definition;
  /** All fields of a send call except `event`, including `schedule_at`, `locale` and their aliases. */
  user?: Record<string, unknown>;
  data?: Record<string, unknown>;
  override?: Record<string, unknown>;
  /** Only these channels; if omitted, all of the definition. */
  channels?: string[];
  /** `live` reaches people, so it answers 409 `needs_confirmation` unless `confirm` is true. */
  delivery: 'sandbox' | 'live';
  confirm?: boolean;
};

export type TestSendAnswer = { requestId: string };

/** POST api/apps/:appId/events/:eventId/call-example */
export type CallExampleBody = { user: Record<string, unknown>; data: Record<string, unknown> };

/** Both contain the placeholder `<API key>`. The page inserts the key after the operator enters the password. */
export type CallExampleAnswer = {
  url: string;
  body: Record<string, unknown>;
  curl: string;
  client: string;
};

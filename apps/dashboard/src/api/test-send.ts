import type { Definition } from './events';

/** POST api/apps/:appId/events/:eventId/test: stored as a version of kind `test`, then accepted as any call is. */
export type TestSendBody = {
  definition: Definition;
  /** Every member of a call to send but `event`: also `schedule_at`, `locale`, and the aliases that calls have. */
  user?: Record<string, unknown>;
  data?: Record<string, unknown>;
  override?: Record<string, unknown>;
  /** Only these; all of the definition where it is left out. */
  channels?: string[];
  /** `live` is refused with 409 `needs_confirmation` unless `confirm`: it reaches people. */
  delivery: 'sandbox' | 'live';
  confirm?: boolean;
};

export type TestSendAnswer = { requestId: string };

/** POST api/apps/:appId/events/:eventId/call-example */
export type CallExampleBody = { user: Record<string, unknown>; data: Record<string, unknown> };

/** The API key stands in them as `<API key>`; the page puts it in after the password was given. */
export type CallExampleAnswer = {
  url: string;
  body: Record<string, unknown>;
  curl: string;
  client: string;
};

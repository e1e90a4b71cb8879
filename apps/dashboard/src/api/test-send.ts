import { operatorInput } from '@belfry/shared';
import { type Static, Type } from '@sinclair/typebox';
import { selectedChannels } from './preview';
import type { RouteSpec } from './route-spec';
import { anyObject, confirmSchema, createChoice, nullable, time } from './schemas';

const { definitionInput } = operatorInput;

const acceptedTest = Type.Object({ requestId: Type.String() });
export type TestSendAnswer = Static<typeof acceptedTest>;

/** Both contain the placeholder `<API key>`. The page inserts the key after the operator enters the password. */
const callExample = Type.Object({
  url: Type.String(),
  body: anyObject,
  curl: Type.String(),
  client: Type.String(),
});
export type CallExampleAnswer = Static<typeof callExample>;

const delivery = createChoice(['sandbox', 'live']);

const dryRunMessage = Type.Object({
  channel: Type.String(),
  /** `wait`: it would be sent, but not before what `warnings` names has ended. */
  would: createChoice(['send', 'wait', 'skip', 'fail']),
  /** Why it would not be sent, as a sentence, and what to do. */
  reason: nullable(Type.String()),
  what: nullable(Type.String()),
  remedy: nullable(Type.String()),
  target: nullable(Type.String()),
  integration: nullable(Type.String()),
  provider: nullable(Type.String()),
  /** Set if it would be sent later. */
  dueAt: nullable(time),
  /** As the provider would get it, without credentials; null if there is no content. */
  request: Type.Unknown(),
  warnings: Type.Array(Type.String()),
});
export type DryRunMessage = Static<typeof dryRunMessage>;

/** One entry for each address, and one for each channel without an address. */
const dryRun = Type.Object({ delivery, messages: Type.Array(dryRunMessage) });
export type DryRunAnswer = Static<typeof dryRun>;

/** The unsaved draft, and the fields of a send call except `event`, validated like those of a call. */
const testCall = {
  definition: definitionInput,
  user: Type.Optional(Type.Unknown()),
  data: Type.Optional(Type.Unknown()),
  override: Type.Optional(Type.Unknown()),
  channels: selectedChannels,
  delivery,
};

export const testSendRoutes = {
  /**
   * Stores the draft as a version of kind `test`, then accepts it like any call. The body also has the fields of a
   * send call except `event`, including `schedule_at`, `locale` and their aliases, validated like those of a call.
   */
  'POST /api/apps/:appId/events/:eventId/test': {
    access: 'editor',
    /** `live` reaches people, so it answers 409 `needs_confirmation` unless `confirm` is true. */
    body: Type.Object({ ...testCall, confirm: confirmSchema }),
    answer: acceptedTest,
    audit: 'event.tested',
  },
  /** Shows what a test send would do, by the same code as `?dry_run=true` of the gateway. Stores and sends nothing. */
  'POST /api/apps/:appId/events/:eventId/dry-run': {
    access: 'viewer',
    body: Type.Object(testCall),
    answer: dryRun,
  },
  /** The call that repeats a test send, ready to paste. */
  'POST /api/apps/:appId/events/:eventId/call-example': {
    access: 'viewer',
    body: Type.Object({ user: anyObject, data: anyObject }),
    answer: callExample,
  },
} as const satisfies Record<string, RouteSpec>;

import { type Static, Type } from '@sinclair/typebox';
import { definitionInput } from './events';
import { selectedChannels } from './preview';
import type { RouteSpec } from './route-spec';
import { anyObject, confirmSchema, oneOf } from './schemas';

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

export const testSendRoutes = {
  /**
   * Stores the draft as a version of kind `test`, then accepts it like any call. The body also has the fields of a
   * send call except `event`, including `schedule_at`, `locale` and their aliases, validated like those of a call.
   */
  'POST /api/apps/:appId/events/:eventId/test': {
    access: 'editor',
    body: Type.Object({
      definition: definitionInput,
      user: Type.Optional(Type.Unknown()),
      data: Type.Optional(Type.Unknown()),
      override: Type.Optional(Type.Unknown()),
      channels: selectedChannels,
      /** `live` reaches people, so it answers 409 `needs_confirmation` unless `confirm` is true. */
      delivery: oneOf(['sandbox', 'live']),
      confirm: confirmSchema,
    }),
    answer: acceptedTest,
    audit: 'event.tested',
  },
  /** The call that repeats a test send, ready to paste. */
  'POST /api/apps/:appId/events/:eventId/call-example': {
    access: 'viewer',
    body: Type.Object({ user: anyObject, data: anyObject }),
    answer: callExample,
  },
} as const satisfies Record<string, RouteSpec>;

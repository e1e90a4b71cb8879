import { type Static, Type } from '@sinclair/typebox';
import type { RouteSpec } from './route-spec';
import { anyObject, confirmSchema, done, nullable, time } from './schemas';

/** Filters in the URL of the sandbox page. */
const captureFilters = Type.Object({
  channel: Type.Optional(Type.String()),
  /** Event name. */
  event: Type.Optional(Type.String()),
  /** Search words. Each must occur in the address, the message or the event name. */
  text: Type.Optional(Type.String()),
});
export type CaptureFilters = Static<typeof captureFilters>;

const attempt = {
  id: Type.String(),
  messageId: Type.String(),
  channel: Type.String(),
  target: Type.String(),
  attempt: Type.Integer(),
  outcome: Type.String(),
  capturedAt: time,
};

const captureSummary = Type.Object({
  ...attempt,
  /** The first words of the message. */
  line: Type.String(),
  /** Null if the request was deleted by retention. */
  requestId: nullable(Type.String()),
  item: nullable(Type.Integer()),
  event: nullable(Type.String()),
});
export type CaptureSummary = Static<typeof captureSummary>;

const captureList = Type.Object({
  captures: Type.Array(captureSummary),
  next: nullable(Type.String()),
});

const capture = Type.Object({
  ...attempt,
  provider: Type.String(),
  /** The content that the channel composed. */
  content: Type.Unknown(),
  /** The request that the provider would have received: `operation` and `body`. */
  request: Type.Unknown(),
  /** Notes from composing, such as the number of segments. */
  notes: anyObject,
});
export type Capture = Static<typeof capture>;

const captureGroup = Type.Object({
  id: Type.String(),
  requestId: nullable(Type.String()),
  item: nullable(Type.Integer()),
  event: nullable(Type.Object({ id: Type.String(), name: Type.String() })),
  version: nullable(
    Type.Object({ id: Type.String(), number: Type.Integer(), kind: Type.String() }),
  ),
  /** Data of the call; masked if the event is sensitive. */
  data: Type.Unknown(),
  isSensitive: Type.Boolean(),
  /** Sorted by channel; within a message, the newest attempt first. */
  captures: Type.Array(capture),
});
export type CaptureAnswer = Static<typeof captureGroup>;

export const captureRoutes = {
  /** Newest first, 100 per page. `before` is `next` of the previous page. */
  'GET /api/apps/:appId/captures': {
    access: 'viewer',
    query: Type.Object({ ...captureFilters.properties, before: Type.Optional(Type.String()) }),
    answer: captureList,
  },
  /** Deletes all captures of the app; answers their number. 409 `needs_confirmation` unless `confirm` is true. */
  'DELETE /api/apps/:appId/captures': {
    access: 'editor',
    body: Type.Object({ confirm: confirmSchema }),
    answer: Type.Object({ removed: Type.Integer() }),
    audit: 'captures.removed',
  },
  /** The capture and all other captures of the same request item. */
  'GET /api/apps/:appId/captures/:captureId': {
    access: 'viewer',
    answer: captureGroup,
    hasSecret: true,
  },
  'DELETE /api/apps/:appId/captures/:captureId': {
    access: 'editor',
    answer: done,
    audit: 'capture.removed',
  },
} as const satisfies Record<string, RouteSpec>;

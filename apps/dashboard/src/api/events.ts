import { operatorInput } from '@belfry/shared';
import { type Static, Type } from '@sinclair/typebox';
import { publishProblem } from './problem';
import type { RouteSpec } from './route-spec';
import { anyObject, confirmSchema, createChoice, done, nullable, time } from './schemas';

const {
  definitionInput,
  eventKind,
  eventName,
  missingChoice: missing,
  onUnknownChoice: onUnknown,
} = operatorInput;

const policy = Type.Object({
  attempts: Type.Integer(),
  timeToLiveMs: Type.Integer(),
  onUnknown,
  /** If omitted, the default of the channel. */
  unknownResends: Type.Optional(Type.Integer()),
});
export type Policy = Static<typeof policy>;

const channelDefinition = Type.Object({
  /** The failover chain: the primary integration first. */
  integrationIds: Type.Array(Type.String()),
  /** Template fields by language. */
  templates: Type.Record(Type.String(), anyObject),
  policy,
});
export type ChannelDefinition = Static<typeof channelDefinition>;

/** The content of a version. A draft may be incomplete. Times are in milliseconds. */
const definition = Type.Object({
  defaultLocale: Type.String(),
  /** How a message handles a path that is missing in the data. */
  missing,
  isSensitive: Type.Boolean(),
  /** Absent in versions published before there were kinds. */
  kind: Type.Optional(eventKind),
  /** Slug of a category of the app. */
  category: Type.Optional(Type.String()),
  /** Set on the version of a test send to the sandbox. */
  delivery: Type.Optional(Type.Literal('sandbox')),
  channels: Type.Record(Type.String(), channelDefinition),
});
export type Definition = Static<typeof definition>;

const eventRow = Type.Object({
  id: Type.String(),
  name: Type.String(),
  /** `draft`: no live version. `changed`: the draft differs from the live version. */
  state: createChoice(['draft', 'live', 'changed']),
  liveNumber: nullable(Type.Integer()),
  liveSince: nullable(time),
  /** Channels of the live version, or of the draft if none is live. */
  channels: Type.Array(Type.String()),
  updatedAt: time,
});
export type EventRow = Static<typeof eventRow>;

export const templatePath = Type.Object({
  path: Type.String(),
  channels: Type.Array(Type.String()),
});
export type TemplatePath = Static<typeof templatePath>;

/** Problems of a definition, and the distinct paths that its templates read. */
const checkedDraft = Type.Object({
  problems: Type.Array(publishProblem),
  paths: Type.Array(templatePath),
});
export type CheckDraftAnswer = Static<typeof checkedDraft>;

const draft = Type.Object({
  ...checkedDraft.properties,
  definition,
  /** The next save must send this as `basedOn`. */
  revision: Type.Integer(),
  savedAt: time,
  savedBy: nullable(Type.String()),
  /** Whether it equals the live version. */
  isLive: Type.Boolean(),
});
export type DraftAnswer = Static<typeof draft>;

export const versionRow = Type.Object({
  id: Type.String(),
  number: Type.Integer(),
  kind: createChoice(['live', 'test']),
  note: nullable(Type.String()),
  /** It repeats the version of this number. */
  rolledBackTo: nullable(Type.Integer()),
  createdAt: time,
  createdBy: nullable(Type.String()),
  isLive: Type.Boolean(),
});
export type VersionRow = Static<typeof versionRow>;

export const version = Type.Object({ ...versionRow.properties, definition });
export type VersionAnswer = Static<typeof version>;

export const event = Type.Object({ ...eventRow.properties, draft, live: nullable(version) });
export type EventAnswer = Static<typeof event>;

/** The revision of the draft that the operator saw. */
export const basedOn = Type.Integer({ minimum: 0 });
export const revisionBody = Type.Object({ basedOn });
export const definitionBody = Type.Object({ definition: definitionInput });

export const eventRoutes = {
  /** By name. */
  'GET /api/apps/:appId/events': {
    access: 'viewer',
    answer: Type.Object({ events: Type.Array(eventRow) }),
  },
  'POST /api/apps/:appId/events': {
    access: 'editor',
    body: Type.Object({ name: eventName }),
    answer: event,
    audit: 'event.created',
  },
  'GET /api/apps/:appId/events/:eventId': { access: 'viewer', answer: event },
  /** Callers use the name, so a live event answers 409 `needs_confirmation`. */
  'PATCH /api/apps/:appId/events/:eventId': {
    access: 'editor',
    body: Type.Object({ name: eventName, confirm: confirmSchema }),
    answer: event,
    audit: 'event.renamed',
  },
  /** `confirmName` must be the name of the event. */
  'DELETE /api/apps/:appId/events/:eventId': {
    access: 'editor',
    body: Type.Object({ confirmName: Type.String() }),
    answer: done,
    audit: 'event.removed',
  },
  /** 409 `draft_changed` when another operator saved after `basedOn`. */
  'PUT /api/apps/:appId/events/:eventId/draft': {
    access: 'editor',
    body: Type.Object({ basedOn, definition: definitionInput }),
    answer: draft,
    audit: 'event.draft_saved',
  },
  /** Validates an unsaved draft. */
  'POST /api/apps/:appId/events/:eventId/check': {
    access: 'viewer',
    body: definitionBody,
    answer: checkedDraft,
  },
  /** The draft becomes the live version again. 409 `draft_changed`, 409 `wrong_state` without a live version. */
  'POST /api/apps/:appId/events/:eventId/discard': {
    access: 'editor',
    body: revisionBody,
    answer: event,
    audit: 'event.draft_discarded',
  },
} as const satisfies Record<string, RouteSpec>;

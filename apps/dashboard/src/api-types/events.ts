import type { VersionDefinition } from '@belfry/shared';
import { type Static, Type } from '@sinclair/typebox';
import { name } from './apps';

const maxDelayMs = 366 * 24 * 60 * 60_000;

const policy = Type.Object({
  attempts: Type.Integer({ minimum: 1, maximum: 50 }),
  timeToLiveMs: Type.Integer({ minimum: 1_000, maximum: maxDelayMs }),
  onUnknown: Type.Union([Type.Literal('resend'), Type.Literal('hold')]),
  unknownResends: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })),
});

const locale = Type.String({ pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$', maxLength: 35 });

const channelDraft = Type.Object(
  {
    integrationIds: Type.Array(Type.String({ maxLength: 36 }), { maxItems: 10 }),
    templates: Type.Record(locale, Type.Record(Type.String(), Type.Unknown()), {
      additionalProperties: false,
      maxProperties: 100,
    }),
    policy,
  },
  { additionalProperties: false },
);

/** What a version fixes, as the editor holds it: right in its shape, but it may lack what publishing asks for. */
export const definition = Type.Object(
  {
    defaultLocale: locale,
    missing: Type.Union([Type.Literal('empty'), Type.Literal('reject')]),
    isSensitive: Type.Boolean(),
    channels: Type.Record(Type.String({ maxLength: 32 }), channelDraft, { maxProperties: 32 }),
  },
  { additionalProperties: false },
);

export type EventState = 'draft' | 'live' | 'live_with_changes';

/** GET /api/apps/:app_id/events */
export type EventList = {
  events: {
    id: string;
    name: string;
    state: EventState;
    channels: string[];
    liveNumber: number | null;
    publishedAt: string | null;
    updatedAt: string;
  }[];
};

/** What stands in the way of publishing; a `warning` does not. */
export type DraftProblem = {
  level: 'error' | 'warning';
  message: string;
  channel?: string;
  locale?: string;
  field?: string;
  line?: number;
  column?: number;
};

/** POST /api/apps/:app_id/events, answered with an EventDetail. */
export const newEventBody = Type.Object({ name });
export type NewEventBody = Static<typeof newEventBody>;

/** GET /api/apps/:app_id/events/:event_id */
export type EventDetail = {
  id: string;
  name: string;
  state: EventState;
  /** To be sent with the next change. */
  revision: string;
  /** The draft, or what is live where there is none. */
  definition: VersionDefinition;
  problems: DraftProblem[];
  liveNumber: number | null;
  publishedAt: string | null;
  updatedAt: string;
};

const revision = Type.String({ pattern: '^\\d{1,15}$' });

/** PUT .../:event_id/draft */
export const draftBody = Type.Object({ revision, definition });
export type DraftBody = Static<typeof draftBody>;
export type DraftSavedAnswer = { revision: string; problems: DraftProblem[] };

/** POST .../:event_id/publish */
export const publishBody = Type.Object({
  revision,
  note: Type.Optional(Type.String({ maxLength: 1_000 })),
});
export type PublishBody = Static<typeof publishBody>;
export type PublishedAnswer = {
  revision: string;
  versionId: string;
  number: number;
  warnings: DraftProblem[];
};

/** `details` of `draft_conflict`. */
export type ConflictDetails = { revision: string; savedAt: string; savedBy: string | null };

/** `details` of `publish_refused`. */
export type PublishDetails = { problems: DraftProblem[] };

/** POST /api/apps/:app_id/preview; without `data`, data is made of what the template reads. */
export const previewBody = Type.Object({
  channel: Type.String(),
  template: Type.Record(Type.String(), Type.Unknown()),
  missing: Type.Optional(Type.Union([Type.Literal('empty'), Type.Literal('reject')])),
  data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  target: Type.Optional(Type.String({ maxLength: 1_000 })),
});
export type PreviewBody = Static<typeof previewBody>;
export type PreviewAnswer =
  | { problems: DraftProblem[] }
  | { paths: string[]; data: object; failed: string; detail: string }
  | {
      paths: string[];
      data: object;
      content: unknown;
      missing: string[];
      notes: Record<string, string | number>;
    };

import type { PublishProblem } from './problem';

/** GET api/apps/:appId/events: by name. */
export type EventListAnswer = { events: EventRow[] };

export type EventRow = {
  id: string;
  name: string;
  /** `draft`: nothing is live. `changed`: live, and the draft says something else. */
  state: 'draft' | 'live' | 'changed';
  liveNumber: number | null;
  liveSince: number | null;
  /** Of the live version, else of the draft. */
  channels: string[];
  updatedAt: number;
};

/** GET api/apps/:appId/events/:eventId */
export type EventAnswer = EventRow & {
  draft: DraftAnswer;
  live: VersionAnswer | null;
};

export type DraftAnswer = {
  definition: Definition;
  /** What the next save must bring along as `basedOn`. */
  revision: number;
  savedAt: number;
  savedBy: string | null;
  problems: PublishProblem[];
  /** Every path that its templates read, each once. */
  paths: TemplatePath[];
  /** It is the same as the live version. */
  isLive: boolean;
};

export type TemplatePath = { path: string; channels: string[] };

/** What a version fixes. A draft may be incomplete. Times in milliseconds. A body may leave out any member but `templates`: it has its default. */
export type Definition = {
  defaultLocale: string;
  /** What a path that the data does not hold does to a message. */
  missing: 'empty' | 'reject';
  isSensitive: boolean;
  channels: Record<string, ChannelDefinition>;
};

export type ChannelDefinition = {
  /** The chain, first choice first. */
  integrationIds: string[];
  /** By language: the fields of the channel's template. */
  templates: Record<string, Record<string, unknown>>;
  policy: Policy;
};

export type Policy = {
  attempts: number;
  timeToLiveMs: number;
  onUnknown: 'resend' | 'resend_next' | 'hold';
  /** Left out: as often as the channel says. */
  unknownResends?: number;
};

/** POST api/apps/:appId/events; answers EventAnswer. */
export type NewEventBody = { name: string };

/** PATCH api/apps/:appId/events/:eventId: callers name it, so 409 `needs_confirmation` for a live one. Answers EventAnswer. */
export type RenameEventBody = { name: string; confirm?: boolean };

/** DELETE api/apps/:appId/events/:eventId: `confirmName` must be its name. Answers Done. */
export type RemoveEventBody = { confirmName: string };

/** PUT api/apps/:appId/events/:eventId/draft; answers DraftAnswer. 409 `draft_changed`. */
export type SaveDraftBody = { basedOn: number; definition: Definition };

/** POST api/apps/:appId/events/:eventId/check: the problems of a draft as it is typed; nothing is saved. */
export type CheckDraftBody = { definition: Definition };
export type CheckDraftAnswer = { problems: PublishProblem[]; paths: TemplatePath[] };

/**
 * POST api/apps/:appId/events/:eventId/variables: which paths of a definition callers did not send lately. Nothing is
 * saved, and what is sensitive is not looked at.
 */
export type VariablesBody = { definition: Definition };

export type VariablesAnswer = {
  /** Requests whose data was compared: the newest ones, tests left out, at most `maxCompared`. */
  compared: number;
  maxCompared: number;
  /** Newest requests that could not be: what they said is sealed, gone, or too large. */
  unreadable: number;
  /** The event is sensitive: nothing was looked at. */
  isSensitive: boolean;
  /** Most missed first. Of a bulk, its first recipient counts. */
  missing: MissingVariable[];
};

export type MissingVariable = TemplatePath & { missingIn: number };

/**
 * POST api/apps/:appId/events/:eventId/publish; answers EventAnswer. 409 `draft_changed`, 409 `live_changed` when
 * another version went live than `basedOnLive` (null: none), 422 `not_publishable`.
 */
export type PublishBody = { basedOn: number; basedOnLive?: string | null; note?: string };

/** POST api/apps/:appId/events/:eventId/discard: the draft becomes the live version again. Answers EventAnswer. */
export type DiscardBody = { basedOn: number };

/** GET api/apps/:appId/events/:eventId/versions?before=<number>: newest first, live ones only. */
export type VersionListAnswer = { versions: VersionRow[]; next: number | null };

export type VersionRow = {
  id: string;
  number: number;
  kind: 'live' | 'test';
  note: string | null;
  /** It repeats the version of this number. */
  rolledBackTo: number | null;
  createdAt: number;
  createdBy: string | null;
  isLive: boolean;
};

export type VersionAnswer = VersionRow & { definition: Definition };

/** GET api/apps/:appId/events/:eventId/versions/:versionId: a live one, or that of a test. */
export type FoundVersionAnswer = VersionAnswer & {
  /** The live version that was published before it. */
  previousId: string | null;
};

/** POST api/apps/:appId/events/:eventId/versions/:versionId/restore: its definition becomes the draft. Answers EventAnswer. */
export type RestoreBody = { basedOn: number };

/**
 * POST api/apps/:appId/events/:eventId/versions/:versionId/roll-back: what it says is published once more, as a new
 * version. Answers EventAnswer. 409 `live_changed`, 409 `wrong_state` for the live one, 422 `not_publishable`.
 */
export type RollBackBody = {
  /** The live version that was looked at. */
  basedOnLive: string;
  note?: string;
};

import type { PublishProblem } from './problem';

/** GET api/apps/:appId/events: by name. */
export type EventListAnswer = { events: EventRow[] };

export type EventRow = {
  id: string;
  name: string;
  /** `draft`: no live version. `changed`: the draft differs from the live version. */
  state: 'draft' | 'live' | 'changed';
  liveNumber: number | null;
  liveSince: number | null;
  /** Channels of the live version, or of the draft if none is live. */
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
  /** The next save must send this as `basedOn`. */
  revision: number;
  savedAt: number;
  savedBy: string | null;
  problems: PublishProblem[];
  /** The distinct paths that its templates read. */
  paths: TemplatePath[];
  /** Whether it equals the live version. */
  isLive: boolean;
};

export type TemplatePath = { path: string; channels: string[] };

/**
 * The content of a version. A draft may be incomplete. Times are in milliseconds. A request body may omit every field
 * except `templates`; omitted fields get their defaults.
 */
export type Definition = {
  defaultLocale: string;
  /** How a message handles a path that is missing in the data. */
  missing: 'empty' | 'reject';
  isSensitive: boolean;
  channels: Record<string, ChannelDefinition>;
};

export type ChannelDefinition = {
  /** The failover chain: the primary integration first. */
  integrationIds: string[];
  /** Template fields by language. */
  templates: Record<string, Record<string, unknown>>;
  policy: Policy;
};

export type Policy = {
  attempts: number;
  timeToLiveMs: number;
  onUnknown: 'resend' | 'resend_next' | 'hold';
  /** If omitted, the default of the channel. */
  unknownResends?: number;
};

/** POST api/apps/:appId/events; answers EventAnswer. */
export type NewEventBody = { name: string };

/**
 * PATCH api/apps/:appId/events/:eventId: callers use the name, so a live event answers 409 `needs_confirmation`.
 * Answers EventAnswer.
 */
export type RenameEventBody = { name: string; confirm?: boolean };

/** DELETE api/apps/:appId/events/:eventId: `confirmName` must be the name of the event. Answers Done. */
export type RemoveEventBody = { confirmName: string };

/** PUT api/apps/:appId/events/:eventId/draft; answers DraftAnswer. 409 `draft_changed`. */
export type SaveDraftBody = { basedOn: number; definition: Definition };

/** POST api/apps/:appId/events/:eventId/check: validates an unsaved draft. */
export type CheckDraftBody = { definition: Definition };
export type CheckDraftAnswer = { problems: PublishProblem[]; paths: TemplatePath[] };

/**
 * POST api/apps/:appId/events/:eventId/variables: the paths of a definition that recent calls did not send. Saves
 * nothing. Sensitive events are not compared.
 */
export type VariablesBody = { definition: Definition };

export type VariablesAnswer = {
  /** Number of compared requests: the newest ones without tests, at most `maxCompared`. */
  compared: number;
  maxCompared: number;
  /** Number of newest requests that cannot be compared: their data is sealed, deleted or too large. */
  unreadable: number;
  /** The event is sensitive, so nothing was compared. */
  isSensitive: boolean;
  /** Sorted by frequency, most often missing first. Only the first recipient of a bulk request counts. */
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

/**
 * POST api/apps/:appId/events/:eventId/versions/:versionId/restore: its definition becomes the draft. Answers
 * EventAnswer.
 */
export type RestoreBody = { basedOn: number };

/**
 * POST api/apps/:appId/events/:eventId/versions/:versionId/roll-back: publishes the version again as a new one.
 * Answers EventAnswer. 409 `live_changed`, 409 `wrong_state` for the live one, 422 `not_publishable`.
 */
export type RollBackBody = {
  /** The live version that the operator saw. */
  basedOnLive: string;
  note?: string;
};

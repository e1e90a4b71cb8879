import { type Static, Type } from '@sinclair/typebox';
import {
  basedOn,
  definitionBody,
  event,
  revisionBody,
  templatePath,
  version,
  versionRow,
} from './events';
import type { RouteSpec } from './route-spec';
import { nullable } from './schemas';

const versionList = Type.Object({
  versions: Type.Array(versionRow),
  /** `before` of the next page; null on the last one. */
  next: nullable(Type.Integer()),
});

const foundVersion = Type.Object({
  ...version.properties,
  /** The live version that was published before it. */
  previousId: nullable(Type.String()),
});
export type FoundVersionAnswer = Static<typeof foundVersion>;

const missingVariable = Type.Object({
  ...templatePath.properties,
  /** Number of compared requests without it. */
  missingIn: Type.Integer(),
});
export type MissingVariable = Static<typeof missingVariable>;

const variables = Type.Object({
  /** Number of compared requests: the newest ones without tests, at most `maxCompared`. */
  compared: Type.Integer(),
  maxCompared: Type.Integer(),
  /** Number of newest requests that cannot be compared: their data is sealed, deleted or too large. */
  unreadable: Type.Integer(),
  /** The event is sensitive, so nothing was compared. */
  isSensitive: Type.Boolean(),
  /** Sorted by frequency, most often missing first. Only the first recipient of a bulk request counts. */
  missing: Type.Array(missingVariable),
});
export type VariablesAnswer = Static<typeof variables>;

const versionId = Type.String({ maxLength: 36 });
const note = Type.Optional(
  Type.String({ maxLength: 500, 'x-problem': 'must have at most 500 characters' }),
);

export const versionRoutes = {
  /** Live ones only, newest first, from the number `before` down. */
  'GET /api/apps/:appId/events/:eventId/versions': {
    access: 'viewer',
    query: Type.Object({ before: Type.Optional(Type.String()) }),
    answer: versionList,
  },
  /** A live version, or the version of a test. */
  'GET /api/apps/:appId/events/:eventId/versions/:versionId': {
    access: 'viewer',
    answer: foundVersion,
  },
  /** The definition of the version becomes the draft. 409 `draft_changed`. */
  'POST /api/apps/:appId/events/:eventId/versions/:versionId/restore': {
    access: 'editor',
    body: revisionBody,
    answer: event,
    audit: 'event.version_restored',
  },
  /**
   * Publishes the version again as a new one. `basedOnLive` is the live version that the operator saw. 409
   * `live_changed`, 409 `wrong_state` for the live one, 422 `not_publishable`.
   */
  'POST /api/apps/:appId/events/:eventId/versions/:versionId/roll-back': {
    access: 'editor',
    body: Type.Object({ basedOnLive: versionId, note }),
    answer: event,
    audit: 'event.rolled_back',
  },
  /**
   * 409 `draft_changed`, 409 `live_changed` when another version went live than `basedOnLive` (null: none), 422
   * `not_publishable`.
   */
  'POST /api/apps/:appId/events/:eventId/publish': {
    access: 'editor',
    body: Type.Object({ basedOn, basedOnLive: Type.Optional(nullable(versionId)), note }),
    answer: event,
    audit: 'event.published',
  },
  /**
   * The paths of a definition that recent calls did not send. Saves nothing. Sensitive events are not compared.
   */
  'POST /api/apps/:appId/events/:eventId/variables': {
    access: 'viewer',
    body: definitionBody,
    answer: variables,
  },
} as const satisfies Record<string, RouteSpec>;

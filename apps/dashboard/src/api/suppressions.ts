import { type Static, Type } from '@sinclair/typebox';
import type { RouteSpec } from './route-spec';
import { createChoice, done, maxTextLength, nullable, searchText, time } from './schemas';

export const suppressionRow = Type.Object({
  id: Type.String(),
  channel: Type.String(),
  address: Type.String(),
  /** The sender it applies to; null for every sender of the app. */
  sender: nullable(Type.String()),
  reason: Type.String(),
  detail: nullable(Type.String()),
  /** `optional`: messages of mandatory events are still sent. */
  scope: createChoice(['all', 'optional']),
  /** Where it came from; see `suppressionSources`. */
  source: Type.String(),
  /** E-mail address of the operator; null if the recipient opted out, or a provider reported it. */
  addedBy: nullable(Type.String()),
  at: time,
});
export type SuppressionRow = Static<typeof suppressionRow>;

/** Limits of one file; the JSON body that carries it has at most 1 MB. */
export const maxImportedRows = 10_000;
export const maxImportedCharacters = 1_000_000;

const file = Type.Object({
  csv: Type.String({
    maxLength: maxImportedCharacters,
    'x-problem': `must have at most ${maxImportedCharacters.toLocaleString('en')} characters. Split it into several files`,
  }),
});

/** Counts of addresses. */
const importCounts = Type.Object({
  added: Type.Integer(),
  /** Suppressed for optional events before, and for all messages after. */
  widened: Type.Integer(),
  unchanged: Type.Integer(),
});
export type ImportCountsAnswer = Static<typeof importCounts>;

export const suppressionRoutes = {
  /** Sorted by address, 50 per page; with `text`, addresses that start with it. */
  'GET /api/apps/:appId/suppressions': {
    access: 'viewer',
    query: Type.Object({ after: searchText, text: searchText }),
    answer: Type.Object({
      suppressions: Type.Array(suppressionRow),
      next: nullable(Type.String()),
    }),
  },
  /** 409 `name_taken` if the address is already suppressed. */
  'POST /api/apps/:appId/suppressions': {
    access: 'editor',
    body: Type.Object({
      channel: Type.String({ maxLength: 64 }),
      address: Type.String({ minLength: 1, maxLength: maxTextLength }),
      detail: Type.String({
        maxLength: 500,
        pattern: '\\S',
        'x-problem': 'must have 1 to 500 characters',
      }),
    }),
    answer: suppressionRow,
    audit: 'suppression.added',
  },
  'DELETE /api/apps/:appId/suppressions/:id': {
    access: 'editor',
    answer: done,
    audit: 'suppression.removed',
  },
  /**
   * text/csv with the rows of the list, for every page. Columns: channel, address, sender, scope, reason, source, detail,
   * created_at. A value that a spreadsheet would run as a formula starts with an apostrophe, which an import removes.
   * An export ends after 60 s at the latest, by closing the connection. 503 `unavailable` as for the items of a request.
   */
  'GET /api/apps/:appId/suppressions.csv': {
    access: 'viewer',
    query: Type.Object({ text: searchText }),
  },
  /** Counts what an import of the file would change now. 422 `invalid` names line and column of each problem. */
  'POST /api/apps/:appId/suppressions/import/check': {
    access: 'editor',
    body: file,
    answer: importCounts,
  },
  /** All rows or none. A file that changes nothing has no audit entry. */
  'POST /api/apps/:appId/suppressions/import': {
    access: 'editor',
    body: file,
    answer: importCounts,
    audit: 'suppression.imported',
  },
} as const satisfies Record<string, RouteSpec>;

import { type Static, Type } from '@sinclair/typebox';
import { waitsFilter } from './log';
import type { RouteSpec } from './route-spec';
import { nameRule, nullable, time } from './schemas';

const filterName = Type.String({
  maxLength: 60,
  ...nameRule,
  'x-problem': 'must have 1 to 60 characters and not be blank',
});
const timeText = Type.Optional(
  Type.String({
    maxLength: 15,
    pattern: '^\\d{1,15}$',
    'x-problem': 'must be a time in Unix milliseconds',
  }),
);
const text = Type.Optional(Type.String({ minLength: 1, maxLength: 128 }));

/** Filters as in the URL of the log, without those that identify one person or one request. */
const savableFilters = Type.Object({
  from: timeText,
  to: timeText,
  /** A period that ends now, such as `24h`. */
  last: Type.Optional(
    Type.String({
      maxLength: 4,
      pattern: '^\\d{1,3}[mhd]$',
      'x-problem': 'must be a period such as 15m or 24h',
    }),
  ),
  event: text,
  channel: text,
  state: text,
  waits: waitsFilter,
  reason: text,
  provider: text,
  integration: text,
});
export type SavableFilters = Static<typeof savableFilters>;
export type SavableFilter = keyof SavableFilters;

/** Addresses are excluded, because they would remain after the user is erased. */
const notSaved = Type.Optional(
  Type.Never({ 'x-problem': 'identifies one person or one request and cannot be saved' }),
);
const newFilters = Type.Object(
  {
    ...savableFilters.properties,
    recipient: notSaved,
    requestId: notSaved,
    idempotencyKey: notSaved,
    metadata: notSaved,
  },
  {
    additionalProperties: false,
    minProperties: 1,
    'x-problem': 'must contain at least one filter',
  },
);

const savedFilter = Type.Object({
  id: Type.String(),
  name: Type.String(),
  filters: savableFilters,
  savedBy: nullable(Type.String()),
  updatedAt: time,
});
export type SavedFilterAnswer = Static<typeof savedFilter>;

const savedFilterList = Type.Object({ filters: Type.Array(savedFilter), max: Type.Integer() });
export type SavedFilterListAnswer = Static<typeof savedFilterList>;

export const savedFilterRoutes = {
  /** Sorted by name. Filters belong to the app and are shared by all operators of the account. */
  'GET /api/apps/:appId/filters': { access: 'viewer', answer: savedFilterList },
  /** 409 `name_taken`, 409 `wrong_state` if there are too many. */
  'POST /api/apps/:appId/filters': {
    access: 'editor',
    body: Type.Object({ name: filterName, filters: newFilters }),
    answer: savedFilterList,
    audit: 'filter.saved',
  },
  /** Omitted fields are kept. 409 `name_taken`. */
  'PATCH /api/apps/:appId/filters/:id': {
    access: 'editor',
    body: Type.Object({
      name: Type.Optional(filterName),
      filters: Type.Optional(newFilters),
    }),
    answer: savedFilterList,
    audit: 'filter.changed',
  },
  'DELETE /api/apps/:appId/filters/:id': {
    access: 'editor',
    answer: savedFilterList,
    audit: 'filter.removed',
  },
} as const satisfies Record<string, RouteSpec>;

import { type AppSavedFilters, maxSavedFilters } from '@belfry/database';
import { Type } from '@sinclair/typebox';
import type { SavableFilters, SavedFilterListAnswer } from '../../api/saved-filters';
import { notFound, Refusal } from '../problem';
import { nameRule, readBody } from '../read-body';
import { type Routes, readId } from '../route';

export type SavedFilterRoutesDeps = { savedFilters: AppSavedFilters };

const filterName = Type.String({
  maxLength: 60,
  ...nameRule,
  'x-problem': 'must have 1 to 60 characters and not be blank',
});
const time = Type.Optional(
  Type.String({
    maxLength: 15,
    pattern: '^\\d{1,15}$',
    'x-problem': 'must be a time in Unix milliseconds',
  }),
);
const text = Type.Optional(Type.String({ minLength: 1, maxLength: 128 }));
/** Addresses are excluded, because they would remain after the user is erased. */
const notSaved = Type.Optional(
  Type.Never({ 'x-problem': 'identifies one person or one request and cannot be saved' }),
);
const filters = Type.Object(
  {
    from: time,
    to: time,
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
    provider: text,
    recipient: notSaved,
    requestId: notSaved,
    idempotencyKey: notSaved,
  },
  {
    additionalProperties: false,
    minProperties: 1,
    'x-problem': 'must contain at least one filter',
  },
);
const newBody = Type.Object({ name: filterName, filters });
const changeBody = Type.Object({
  name: Type.Optional(filterName),
  filters: Type.Optional(filters),
});

/** Named filters of the log, shared by all operators of the account. */
export function createSavedFilterRoutes(
  { savedFilters }: SavedFilterRoutesDeps,
  { inApp }: Routes,
) {
  async function answer(appId: string): Promise<SavedFilterListAnswer> {
    const rows = await savedFilters.list(appId);
    return {
      max: maxSavedFilters,
      filters: rows.map(({ updatedAt, ...row }) => ({
        ...row,
        // Stored filters were validated with the schema above.
        filters: row.filters as SavableFilters,
        updatedAt: updatedAt.getTime(),
      })),
    };
  }

  return {
    list: inApp(({ app }) => answer(app.id)),

    create: inApp(async ({ actor, app, body }) => {
      const input = readBody(newBody, body);
      const filter = { name: input.name.trim(), filters: input.filters };
      const created = await savedFilters.create(actor, app.id, filter);
      if (created === 'taken') throw nameTaken();
      if (created === 'full') {
        const text = `There are already ${maxSavedFilters} saved filters. Delete one first.`;
        throw new Refusal('wrong_state', text);
      }
      return answer(app.id);
    }),

    change: inApp(async (call) => {
      const { name, filters: next } = readBody(changeBody, call.body);
      const id = readId(call, 'id', 'filter');
      const change = { id, ...(name && { name: name.trim() }), ...(next && { filters: next }) };
      const changed = await savedFilters.change(call.actor, call.app.id, change);
      if (changed === 'taken') throw nameTaken();
      if (changed === 'not_found') throw notFound('filter');
      return answer(call.app.id);
    }),

    remove: inApp(async (call) => {
      const id = readId(call, 'id', 'filter');
      if (!(await savedFilters.remove(call.actor, call.app.id, id))) throw notFound('filter');
      return answer(call.app.id);
    }),
  };
}

function nameTaken(): Refusal {
  return new Refusal('name_taken', 'Another filter of this app already has this name.', {
    fields: [{ path: 'name', problem: 'is taken' }],
  });
}

import { type AppSavedFilters, maxSavedFilters } from '@belfry/database';
import type { SavableFilters, SavedFilterListAnswer } from '../../api/saved-filters';
import { notFound, Refusal } from '../problem';
import { type Handlers, readId } from '../route';

export type SavedFilterHandlersDeps = { savedFilters: AppSavedFilters };

/** Named filters of the log, shared by all operators of the account. */
export function createSavedFilterHandlers({ savedFilters }: SavedFilterHandlersDeps) {
  async function answer(appId: string): Promise<SavedFilterListAnswer> {
    const rows = await savedFilters.list(appId);
    return {
      max: maxSavedFilters,
      filters: rows.map(({ updatedAt, ...row }) => ({
        ...row,
        // Stored filters were validated with the schema of the body.
        filters: row.filters as SavableFilters,
        updatedAt: updatedAt.getTime(),
      })),
    };
  }

  return {
    'GET /api/apps/:appId/filters': ({ app }) => answer(app.id),

    async 'POST /api/apps/:appId/filters'({ actor, app, body }) {
      const filter = { name: body.name.trim(), filters: body.filters };
      const created = await savedFilters.create(actor, app.id, filter);
      if (created === 'taken') throw nameTaken();
      if (created === 'full') {
        const text = `There are already ${maxSavedFilters} saved filters. Delete one first.`;
        throw new Refusal('wrong_state', text);
      }
      return answer(app.id);
    },

    async 'PATCH /api/apps/:appId/filters/:id'({ actor, app, path, body: { name, filters } }) {
      const id = readId(path.id, 'filter');
      const change = { id, ...(name && { name: name.trim() }), ...(filters && { filters }) };
      const changed = await savedFilters.change(actor, app.id, change);
      if (changed === 'taken') throw nameTaken();
      if (changed === 'not_found') throw notFound('filter');
      return answer(app.id);
    },

    async 'DELETE /api/apps/:appId/filters/:id'({ actor, app, path }) {
      const id = readId(path.id, 'filter');
      if (!(await savedFilters.remove(actor, app.id, id))) throw notFound('filter');
      return answer(app.id);
    },
  } satisfies Partial<Handlers>;
}

function nameTaken(): Refusal {
  return new Refusal('name_taken', 'Another filter of this app already has this name.', {
    fields: [{ path: 'name', problem: 'is taken by another filter of this app' }],
  });
}

import type { AuditEntryRow, AuditFilter, AuditName, AuditPage } from '@belfry/database';
import { isUuid } from '@belfry/shared';
import type { Query } from '../../api/contract';
import { idAt, readTime } from '../log-filter';
import { Refusal } from '../problem';
import type { Handlers } from '../route';

export type AuditHandlersDeps = {
  readPage(accountId: string, filter: AuditFilter, page: { limit: number }): Promise<AuditPage>;
  readNames(accountId: string, ids: string[]): Promise<AuditName[]>;
};

const pageSize = 50;

/** The audit log. */
export function createAuditHandlers({ readPage, readNames }: AuditHandlersDeps) {
  return {
    async 'GET /api/audit'({ actor, query }) {
      const page = await readPage(actor.accountId, readFilter(query), { limit: pageSize });
      const names = await readNames(actor.accountId, listIds(page.entries));
      return {
        entries: page.entries.map(({ at, ...row }) => ({ ...row, at: at.getTime() })),
        names: Object.fromEntries(names.map(({ id, ...name }) => [id, name])),
        next: page.next,
      };
    },
  } satisfies Partial<Handlers>;
}

function readFilter({ before, from, to, operator, app, action }: Query<'GET /api/audit'>) {
  const end = to === undefined ? undefined : idAt(readTime('to', to));
  const cursor = before && isUuid(before) ? before : undefined;
  return {
    before: [cursor, end].filter((id) => id !== undefined).sort()[0],
    from: from === undefined ? undefined : idAt(readTime('from', from)),
    operatorId: operator === 'none' ? null : readFilterId('operator', operator),
    appId: readFilterId('app', app),
    action,
  };
}

function readFilterId(name: string, id: string | undefined): string | undefined {
  if (id === undefined || isUuid(id)) return id;
  throw new Refusal('bad_request', `${name} must be an ID.`);
}

/** IDs that may have a name: of the app, the changed thing and its version. */
function listIds(entries: AuditEntryRow[]): string[] {
  const ids = entries.flatMap(({ appId, subject, change }) => {
    const version = change?.['version'];
    return [appId ?? '', subject, typeof version === 'string' ? version : ''];
  });
  return [...new Set(ids)].filter((id) => id !== '');
}

import type { AuditEntryRow } from '@belfry/database';
import { isUuid } from '@belfry/shared';
import type { AuditAnswer } from '../../api/audit';
import { queryText, type Routes } from '../route';

export type AuditRoutesDeps = {
  listAuditEntries(
    accountId: string,
    page: { before: string | undefined; limit: number },
  ): Promise<AuditEntryRow[]>;
};

const pageSize = 50;

/** The audit log. */
export function createAuditRoutes({ listAuditEntries }: AuditRoutesDeps, { signedIn }: Routes) {
  return {
    list: signedIn(async (call): Promise<AuditAnswer> => {
      const cursor = queryText(call, 'before');
      const before = cursor && isUuid(cursor) ? cursor : undefined;
      const rows = await listAuditEntries(call.actor.accountId, { before, limit: pageSize });
      const next = rows.length === pageSize ? (rows.at(-1)?.id ?? null) : null;
      return { entries: rows.map(({ at, ...row }) => ({ ...row, at: at.getTime() })), next };
    }),
  };
}

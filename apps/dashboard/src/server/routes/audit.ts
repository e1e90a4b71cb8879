import type { AuditEntryRow } from '@belfry/database';
import { isUuid } from '@belfry/shared';
import type { Handlers } from '../route';

export type AuditHandlersDeps = {
  listAuditEntries(
    accountId: string,
    page: { before: string | undefined; limit: number },
  ): Promise<AuditEntryRow[]>;
};

const pageSize = 50;

/** The audit log. */
export function createAuditHandlers({ listAuditEntries }: AuditHandlersDeps) {
  return {
    async 'GET /api/audit'({ actor, query }) {
      const before = query.before && isUuid(query.before) ? query.before : undefined;
      const rows = await listAuditEntries(actor.accountId, { before, limit: pageSize });
      const next = rows.length === pageSize ? (rows.at(-1)?.id ?? null) : null;
      return { entries: rows.map(({ at, ...row }) => ({ ...row, at: at.getTime() })), next };
    },
  } satisfies Partial<Handlers>;
}

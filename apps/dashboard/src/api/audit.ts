import { type Static, Type } from '@sinclair/typebox';
import type { RouteSpec } from './route-spec';
import { nullable, time } from './schemas';

const auditRow = Type.Object({
  id: Type.String(),
  at: time,
  operator: nullable(Type.String()),
  appId: nullable(Type.String()),
  /** A verb and its object: `integration.removed`. */
  action: Type.String(),
  subject: Type.String(),
  change: Type.Unknown(),
});
export type AuditRow = Static<typeof auditRow>;

export const auditRoutes = {
  /** Newest first, 50 a page. `before` is `next` of the previous page; it is ignored if it is not an ID. */
  'GET /api/audit': {
    access: 'viewer',
    query: Type.Object({ before: Type.Optional(Type.String()) }),
    answer: Type.Object({ entries: Type.Array(auditRow), next: nullable(Type.String()) }),
  },
} as const satisfies Record<string, RouteSpec>;

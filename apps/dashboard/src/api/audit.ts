import { type Static, Type } from '@sinclair/typebox';
import type { RouteSpec } from './route-spec';
import { anyObject, nullable, time } from './schemas';

const auditRow = Type.Object({
  id: Type.String(),
  at: time,
  /** E-mail address; null for the command line. */
  operator: nullable(Type.String()),
  operatorId: nullable(Type.String()),
  appId: nullable(Type.String()),
  /** A thing and what happened to it: `integration.removed`. */
  action: Type.String(),
  /** Usually an ID. */
  subject: Type.String(),
  change: nullable(anyObject),
  /** Old values of the fields in `change`; null for entries from before they were stored. */
  before: nullable(anyObject),
});
export type AuditRow = Static<typeof auditRow>;

const auditName = Type.Object({
  name: Type.String(),
  isRemoved: Type.Boolean(),
  /** Only of a message: the request to open. */
  requestId: nullable(Type.String()),
});
export type AuditName = Static<typeof auditName>;

const auditPage = Type.Object({
  entries: Type.Array(auditRow),
  /** Names of the IDs in the entries. A number for a version; the channel for a message. */
  names: Type.Record(Type.String(), auditName),
  next: nullable(Type.String()),
});
export type AuditPage = Static<typeof auditPage>;

const auditFilters = {
  /** ID of an operator, or `none` for the command line. */
  operator: Type.Optional(Type.String()),
  app: Type.Optional(Type.String()),
  /** The beginning of an action: `integration.` */
  action: Type.Optional(Type.String({ maxLength: 64 })),
  from: Type.Optional(Type.String()),
  to: Type.Optional(Type.String()),
};

export const auditRoutes = {
  /**
   * Newest first, 50 a page. `before` is `next` of the previous page; it is ignored if it is not an ID. A filter reads
   * up to 10,000 entries per page, so a page can be short and have a `next`.
   */
  'GET /api/audit': {
    access: 'viewer',
    query: Type.Object({ ...auditFilters, before: Type.Optional(Type.String()) }),
    answer: auditPage,
  },
} as const satisfies Record<string, RouteSpec>;

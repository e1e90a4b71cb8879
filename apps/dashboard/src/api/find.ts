import { type Static, Type } from '@sinclair/typebox';
import type { RouteSpec } from './route-spec';
import { createChoice } from './schemas';

const findResult = Type.Union([
  Type.Object({
    kind: createChoice(['request', 'message']),
    appId: Type.String(),
    requestId: Type.String(),
    event: Type.String(),
    resendId: Type.Optional(Type.Null()),
  }),
  Type.Object({
    kind: Type.Literal('resend'),
    appId: Type.String(),
    resendId: Type.String(),
    requestId: Type.Optional(Type.Null()),
    event: Type.Optional(Type.Literal('')),
  }),
  /** `recipient` and `idempotencyKey`: requests of that app that match one log filter. */
  Type.Object({
    kind: createChoice(['recipient', 'idempotencyKey', 'user']),
    appId: Type.String(),
  }),
]);
export type FindResult = Static<typeof findResult>;

export const findRoutes = {
  /**
   * Exact matches of the text; none for an empty text or one of more than 255 characters. IDs are searched in every app
   * of the account, other texts only in `app`.
   */
  'GET /api/find': {
    access: 'viewer',
    query: Type.Object({
      text: Type.Optional(Type.String()),
      app: Type.Optional(Type.String()),
    }),
    answer: Type.Object({ found: Type.Array(findResult) }),
  },
} as const satisfies Record<string, RouteSpec>;

import { type Static, Type } from '@sinclair/typebox';
import type { RouteSpec } from './route-spec';
import { nullable, passwordSchema, time } from './schemas';

const secretRow = Type.Object({
  /** The `kid` of tokens. */
  id: Type.String(),
  createdAt: time,
  revokedAt: nullable(time),
});
export type InboxSecretAnswer = Static<typeof secretRow>;

/** Newest first. */
const secretList = Type.Object({
  secrets: Type.Array(secretRow),
  maxActive: Type.Integer(),
});
export type InboxSecretList = Static<typeof secretList>;

const passwordBody = Type.Object({ password: passwordSchema });
const fullSecret = Type.Object({ id: Type.String(), secret: Type.String() });

/** The secrets with which an app's backend signs the tokens of its inbox readers. */
export const inboxSecretRoutes = {
  'GET /api/apps/:appId/inbox-secrets': { access: 'viewer', answer: secretList },
  /** 409 `wrong_state` if two are active. */
  'POST /api/apps/:appId/inbox-secrets': {
    access: 'editor',
    body: passwordBody,
    answer: fullSecret,
    audit: 'inbox_secret.created',
  },
  /** 404 for a revoked secret, as for the next route. */
  'POST /api/apps/:appId/inbox-secrets/:id/show': {
    access: 'editor',
    body: passwordBody,
    answer: fullSecret,
    audit: 'inbox_secret.shown',
  },
  'POST /api/apps/:appId/inbox-secrets/:id/revoke': {
    access: 'editor',
    body: passwordBody,
    answer: secretList,
    audit: 'inbox_secret.revoked',
  },
} as const satisfies Record<string, RouteSpec>;

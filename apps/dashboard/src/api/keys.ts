import { type Static, Type } from '@sinclair/typebox';
import type { RouteSpec } from './route-spec';
import { confirmSchema, createChoice, nameSchema, nullable, passwordSchema, time } from './schemas';

const keyRow = Type.Object({
  id: Type.String(),
  /** Null for keys from before keys had names. */
  name: nullable(Type.String()),
  /** The key without its secret: `bk_7Qd2…`. */
  hint: Type.String(),
  state: createChoice(['active', 'ending', 'ended']),
  createdAt: time,
  lastUsedAt: nullable(time),
  /** Set while the key is ending: when it expires. */
  expiresAt: nullable(time),
});
export type KeyRow = Static<typeof keyRow>;

/** Usable keys and keys revoked within the last 30 days, newest first. */
const keyList = Type.Object({ keys: Type.Array(keyRow), maxActive: Type.Integer() });
export type KeyListAnswer = Static<typeof keyList>;

const passwordBody = Type.Object({ password: passwordSchema });
const fullKey = Type.Object({ id: Type.String(), key: Type.String() });
const maxEndAfterMs = 30 * 24 * 60 * 60_000;

export const keyRoutes = {
  'GET /api/keys': { access: 'viewer', answer: keyList },
  /** 409 `wrong_state` if two keys are active. */
  'POST /api/keys': {
    access: 'owner',
    body: Type.Object({ password: passwordSchema, name: Type.Optional(nameSchema) }),
    answer: fullKey,
    audit: 'key.created',
  },
  /** 404 for a revoked key. */
  'PATCH /api/keys/:id': {
    access: 'owner',
    body: Type.Object({ name: nameSchema }),
    answer: keyList,
    audit: 'key.renamed',
  },
  'POST /api/keys/:id/show': {
    access: 'editor',
    body: passwordBody,
    answer: fullKey,
    audit: 'key.shown',
  },
  /**
   * Revokes the key now, or after `afterMs` so that callers can switch to the other key. 409 `needs_confirmation` for
   * the only active key.
   */
  'POST /api/keys/:id/end': {
    access: 'owner',
    body: Type.Object({
      password: passwordSchema,
      afterMs: Type.Optional(Type.Integer({ minimum: 0, maximum: maxEndAfterMs })),
      confirm: confirmSchema,
    }),
    answer: keyList,
    audit: 'key.ended',
  },
} as const satisfies Record<string, RouteSpec>;

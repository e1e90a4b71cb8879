import { type Static, Type } from '@sinclair/typebox';
import { password } from './session';

/** GET /api/account/keys */
export type KeyList = {
  keys: { id: string; createdAt: string; expiresAt: string | null; lastUsedAt: string | null }[];
};

/** POST /api/account/keys (a second one), POST /api/account/keys/:key_id/show */
export const passwordBody = Type.Object({ password });
export type PasswordBody = Static<typeof passwordBody>;
export type ShownKey = { id: string; key: string };

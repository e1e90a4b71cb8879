import { type AccountKeyRow, type AccountKeys, maxActiveKeys } from '@belfry/database';
import type { KeyListAnswer, KeyRow } from '../../api/keys';
import type { ConfirmPassword } from '../confirm-password';
import { notFound, Refusal } from '../problem';
import type { Handlers } from '../route';

export type KeyHandlersDeps = { keys: AccountKeys; confirmPassword: ConfirmPassword };

const shownIdLength = 6;

/** API keys. Showing or changing them requires the password. */
export function createKeyHandlers({ keys, confirmPassword }: KeyHandlersDeps) {
  async function list(accountId: string): Promise<KeyListAnswer> {
    const rows = await keys.list(accountId);
    return { keys: rows.map(toKeyRow), maxActive: maxActiveKeys };
  }

  return {
    'GET /api/keys': ({ actor }) => list(actor.accountId),

    async 'POST /api/keys'({ session, actor, body }) {
      await confirmPassword(session, body.password);
      const newKey = await keys.create(actor, body.name?.trim());
      if (newKey) return newKey;
      throw new Refusal('wrong_state', 'Two keys are already active. Revoke one first.');
    },

    async 'PATCH /api/keys/:id'({ actor, path, body }) {
      const isRenamed = await keys.rename(actor, { id: path.id, name: body.name.trim() });
      if (!isRenamed) throw notFound('key');
      return list(actor.accountId);
    },

    async 'POST /api/keys/:id/show'({ session, actor, path, body }) {
      await confirmPassword(session, body.password);
      const key = await keys.show(actor, path.id);
      if (key === undefined) throw notFound('key');
      return { id: path.id, key };
    },

    async 'POST /api/keys/:id/end'({ session, actor, path, body }) {
      await confirmPassword(session, body.password);
      const end = { id: path.id, afterMs: body.afterMs ?? 0 };
      const result = await keys.end(actor, { ...end, isConfirmed: body.confirm === true });
      if (result === 'not_found') throw notFound('key');
      if (result === 'last_one') {
        throw new Refusal(
          'needs_confirmation',
          'This is the only active key. Without it every call is refused. Create another key first, or revoke it anyway.',
        );
      }
      return list(actor.accountId);
    },
  } satisfies Partial<Handlers>;
}

function toKeyRow({ id, name, state, ...times }: AccountKeyRow): KeyRow {
  const { createdAt, lastUsedAt, expiresAt } = times;
  return {
    id,
    name,
    hint: `bk_${id.slice(0, shownIdLength)}…`,
    state,
    createdAt: createdAt.getTime(),
    lastUsedAt: lastUsedAt?.getTime() ?? null,
    expiresAt: expiresAt?.getTime() ?? null,
  };
}

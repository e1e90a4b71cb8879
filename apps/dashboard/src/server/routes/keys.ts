import { type AccountKeyRow, type AccountKeys, maxActiveKeys } from '@belfry/database';
import { Type } from '@sinclair/typebox';
import type { KeyListAnswer, KeyRow, ShowKeyAnswer } from '../../api/keys';
import type { ConfirmPassword } from '../confirm-password';
import { notFound, Refusal } from '../problem';
import { confirmSchema, passwordSchema, readBody } from '../read-body';
import type { Routes } from '../route';

export type KeyRoutesDeps = { keys: AccountKeys; confirmPassword: ConfirmPassword };

const passwordBody = Type.Object({ password: passwordSchema });
const maxEndAfterMs = 30 * 24 * 60 * 60_000;
const endBody = Type.Object({
  password: passwordSchema,
  afterMs: Type.Optional(Type.Integer({ minimum: 0, maximum: maxEndAfterMs })),
  confirm: confirmSchema,
});
const shownIdLength = 6;
const forOwners = { isForOwners: true };

/** API keys. Showing or changing them requires the password. */
export function createKeyRoutes({ keys, confirmPassword }: KeyRoutesDeps, { signedIn }: Routes) {
  async function list(accountId: string): Promise<KeyListAnswer> {
    const rows = await keys.list(accountId);
    return { keys: rows.map(toKeyRow), maxActive: maxActiveKeys };
  }

  return {
    list: signedIn(({ actor }) => list(actor.accountId)),

    show: signedIn(async (call): Promise<ShowKeyAnswer> => {
      await confirmPassword(call.session, readBody(passwordBody, call.body).password);
      const id = call.path['id'] ?? '';
      const key = await keys.show(call.actor, id);
      if (key === undefined) throw notFound('key');
      return { id, key };
    }),

    create: signedIn(async (call): Promise<ShowKeyAnswer> => {
      await confirmPassword(call.session, readBody(passwordBody, call.body).password);
      const newKey = await keys.create(call.actor);
      if (newKey) return newKey;
      throw new Refusal('wrong_state', 'Two keys are already active. Revoke one first.');
    }, forOwners),

    end: signedIn(async (call) => {
      const body = readBody(endBody, call.body);
      await confirmPassword(call.session, body.password);
      const end = { id: call.path['id'] ?? '', afterMs: body.afterMs ?? 0 };
      const result = await keys.end(call.actor, { ...end, isConfirmed: body.confirm === true });
      if (result === 'not_found') throw notFound('key');
      if (result === 'last_one') {
        throw new Refusal(
          'needs_confirmation',
          'This is the only active key. Without it every call is refused. Create another key first, or revoke it anyway.',
        );
      }
      return list(call.actor.accountId);
    }, forOwners),
  };
}

function toKeyRow({ id, state, createdAt, lastUsedAt, expiresAt }: AccountKeyRow): KeyRow {
  return {
    id,
    hint: `bk_${id.slice(0, shownIdLength)}…`,
    state,
    createdAt: createdAt.getTime(),
    lastUsedAt: lastUsedAt?.getTime() ?? null,
    expiresAt: expiresAt?.getTime() ?? null,
  };
}

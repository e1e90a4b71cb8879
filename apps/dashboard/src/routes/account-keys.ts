import type { AccountKeys } from '@belfry/database';
import type { RequestHandler } from 'express';
import { type KeyList, passwordBody, type ShownKey } from '../api-types/account';
import type { Done } from '../api-types/session';
import { actorOf, sessionOf } from '../call';
import { createBodyReader } from '../read-body';
import { Refusal } from '../refusal';
import type { AskAgain } from '../sessions/ask-again';

export type KeyRoutesDeps = { keys: AccountKeys };
type OfKey = { key_id: string };

/** The account's API keys: shown after the password is given again; two may be active, so that they can be rotated. */
type KeyRoutes = {
  list: RequestHandler;
  show: RequestHandler<OfKey>;
  create: RequestHandler;
  end: RequestHandler<OfKey>;
};

export function createKeyRoutes({ keys }: KeyRoutesDeps, askAgain: AskAgain): KeyRoutes {
  const readPassword = createBodyReader(passwordBody);

  const list: RequestHandler = async (_req, res) => {
    const rows = await keys.listKeys(sessionOf(res).accountId);
    const answer: KeyList = {
      keys: rows.map(({ id, createdAt, expiresAt, lastUsedAt }) => ({
        id,
        createdAt: createdAt.toISOString(),
        expiresAt: expiresAt?.toISOString() ?? null,
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
      })),
    };
    res.json(answer);
  };

  const show: RequestHandler<OfKey> = async (req, res) => {
    await askAgain(req, res, readPassword(req).password);
    const id = req.params.key_id;
    const key = await keys.showKey(actorOf(res), id);
    if (key === undefined) throw keyNotFound();
    const answer: ShownKey = { id, key };
    res.json(answer);
  };

  const create: RequestHandler = async (req, res) => {
    await askAgain(req, res, readPassword(req).password);
    const made = await keys.createKey(actorOf(res));
    if ('refused' in made) {
      throw new Refusal('too_many_keys', 'two keys are active: end one of them first');
    }
    const answer: ShownKey = made;
    res.json(answer);
  };

  const end: RequestHandler<OfKey> = async (req, res) => {
    const ended = await keys.endKey(actorOf(res), req.params.key_id);
    if (ended === 'key_not_found') throw keyNotFound();
    if (ended === 'last_key') {
      throw new Refusal('last_key', 'this is the only active key: create another one first');
    }
    const answer: Done = { success: true };
    res.json(answer);
  };

  return { list, show, create, end };
}

function keyNotFound(): Refusal {
  return new Refusal('key_not_found', 'key not found');
}

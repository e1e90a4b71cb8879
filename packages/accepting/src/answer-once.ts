import { hash } from 'node:crypto';
import type { AnsweredWrite, NewIdempotencyKey, StoredKey } from '@belfry/database';
import type { Secrets } from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import { canonicalJson } from './fingerprint';

/** A POST whose answer is stored with its key. */
export type OnceCall = {
  accountId: string;
  idempotencyKey: string | undefined;
  /** Method and template of the path. */
  route: string;
  /** The app's id and what else the path names. */
  pathValues: readonly string[];
  /** The parsed body. */
  body: unknown;
};

export type OnceAnswer = { status: number; body: string; isReplay: boolean };

export type AnswerOnce = (
  call: OnceCall,
  write: (key: NewIdempotencyKey | undefined) => Promise<AnsweredWrite>,
) => Promise<OnceAnswer>;

const purpose = 'idempotency';
const status = 200;

/** Answers a call by its work, or by what was stored for its key. Throws AppError idempotency_mismatch. */
export function createAnswerOnce({ secrets }: { secrets: Secrets }): AnswerOnce {
  return async function answerOnce(call, write) {
    const key = keyOf(call);
    const written = await write(key?.row);
    if (written.isWritten) return { status, body: written.body, isReplay: false };
    return replay(written.winner, key?.text);
  };

  function keyOf(call: OnceCall): { row: NewIdempotencyKey; text: string } | undefined {
    const { accountId, idempotencyKey, route, pathValues, body } = call;
    if (idempotencyKey === undefined) return undefined;
    const text = [route, JSON.stringify(pathValues), canonicalJson(body)].join('\n');
    const row = {
      hash: hash('sha256', `${accountId}:${idempotencyKey}`, 'buffer'),
      fingerprint: secrets.fingerprint(purpose, text),
      ringKeyId: secrets.keyId,
      status,
    };
    return { row, text };
  }

  function replay(stored: StoredKey, text: string | undefined): OnceAnswer {
    const { fingerprint, ringKeyId, body } = stored;
    const isSame =
      text !== undefined && secrets.fingerprint(purpose, text, ringKeyId).equals(fingerprint);
    if (!isSame || body === undefined) {
      throw new AppError(
        'idempotency_mismatch',
        'this Idempotency-Key was used before with other parameters',
      );
    }
    return { status: stored.status, body, isReplay: true };
  }
}

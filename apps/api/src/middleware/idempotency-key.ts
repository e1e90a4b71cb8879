import type { IncomingMessage } from 'node:http';
import { AppError } from '@belfry/shared';

const syntax = /^[\x21-\x7e]{1,255}$/;

/** The Idempotency-Key of a POST, taken to the letter. Node joins a repeated header by a comma and a space, which no key may hold. */
export function readIdempotencyKey({ headers }: IncomingMessage): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && syntax.test(key)) return key;
  throw new AppError(
    'idempotency_key_invalid',
    'the Idempotency-Key must be sent once, with 1 to 255 printable ASCII characters and no space',
  );
}

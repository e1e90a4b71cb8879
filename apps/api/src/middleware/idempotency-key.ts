import type { IncomingMessage } from 'node:http';
import { getHeaderValues } from '@belfry/runtime';
import { AppError } from '@belfry/shared';

const name = 'idempotency-key';
const maxBytes = 255;

/**
 * The Idempotency-Key of a POST. Node refuses control characters, strips outer white space, and gives each byte as one
 * character (Latin-1), so the text has the bytes of the header. Node joins repeated headers: their number is in the raw ones.
 */
export function readIdempotencyKey(req: IncomingMessage): string | undefined {
  if (req.headers[name] === undefined) return undefined;
  const [key = '', ...more] = getHeaderValues(req, name);
  if (more.length === 0 && key !== '' && key.length <= maxBytes) return key;
  throw new AppError('idempotency_key_invalid');
}

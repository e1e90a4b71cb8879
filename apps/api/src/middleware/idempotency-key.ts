import type { IncomingMessage } from 'node:http';
import { getHeaderValues } from '@belfry/runtime';
import { AppError } from '@belfry/shared';

const name = 'idempotency-key';
const maxBytes = 255;

/**
 * Reads the Idempotency-Key of a POST. Node refuses control characters, strips outer white space and decodes Latin-1, so each
 * character is one byte of the header. Node joins repeated headers, so repeats are detected in the raw headers.
 */
export function readIdempotencyKey(req: IncomingMessage): string | undefined {
  if (req.headers[name] === undefined) return undefined;
  const [key = '', ...more] = getHeaderValues(req, name);
  if (more.length === 0 && key !== '' && key.length <= maxBytes) return key;
  throw new AppError('idempotency_key_invalid');
}

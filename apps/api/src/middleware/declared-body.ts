import type { IncomingMessage } from 'node:http';
import { AppError, unreadableJson } from '@belfry/shared';

export type CheckDeclaredBody = (req: IncomingMessage) => void;

type Headers = IncomingMessage['headers'];

/** Refuses a body by its headers, before any of it is read. */
export function createCheckDeclaredBody({
  maxBodyBytes,
}: {
  maxBodyBytes: number;
}): CheckDeclaredBody {
  return function checkDeclaredBody({ headers }) {
    if (!hasBody(headers)) throw new AppError('malformed_json', unreadableJson);
    if (declaredBytes(headers) > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
    if (!isJson(headers)) {
      throw new AppError('unsupported_media_type', 'the content type must be application/json');
    }
    refuseEncoding({ headers });
  };
}

/** Belfry never decompresses bodies. */
export function refuseEncoding({ headers }: Pick<IncomingMessage, 'headers'>): void {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || /^(identity)?$/i.test(encoding)) return;
  throw new AppError('unsupported_media_type', 'the body must not be compressed');
}

export function bodyTooLarge(maxBodyBytes: number): AppError {
  return new AppError('body_too_large', `the body must be at most ${maxBodyBytes} bytes`);
}

function hasBody(headers: Headers): boolean {
  return headers['transfer-encoding'] !== undefined || declaredBytes(headers) > 0;
}

/** 0 for a chunked body or none. */
export function declaredBytes(headers: Headers): number {
  return Number(headers['content-length'] ?? 0);
}

function isJson(headers: Headers): boolean {
  const type = headers['content-type'] ?? '';
  if (type === 'application/json') return true;
  const [mediaType = ''] = type.split(';', 1);
  return mediaType.trim().toLowerCase() === 'application/json';
}

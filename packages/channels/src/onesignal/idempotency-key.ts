import { hash } from 'node:crypto';

/** Belfry's own namespace, so that other programs' names cannot give the same keys. */
const namespace = '0037423e-408b-414b-bd40-622d6ea1d6bb';

/**
 * The idempotency key: the same for every attempt of a message. "Keys must be unique v3 or v4 UUID
 * format" (documentation.onesignal.com/reference/idempotent-notification-requests), and message IDs
 * are of version 7.
 */
export function createIdempotencyKey(messageId: string): string {
  return createNamedUuid(namespace, messageId);
}

/**
 * A name-based UUID of version 3 (RFC 9562, section 5.3): MD5 over the namespace's bytes and the
 * name.
 */
export function createNamedUuid(namespaceId: string, name: string): string {
  const bytes = Buffer.concat([
    Buffer.from(namespaceId.replaceAll('-', ''), 'hex'),
    Buffer.from(name, 'utf8'),
  ]);
  const digits = hash('md5', bytes, 'hex');
  const variant = ((Number.parseInt(digits.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `3${digits.slice(13, 16)}`,
    variant + digits.slice(17, 20),
    digits.slice(20),
  ].join('-');
}

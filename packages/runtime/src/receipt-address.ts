import { timingSafeEqual } from 'node:crypto';
import type { Secrets } from './secrets';

/** The secret part of a receipt URL, known to us and the provider; not stored. */
export function createReceiptSecret(
  secrets: Pick<Secrets, 'fingerprint'>,
  integrationId: string,
  keyId?: string,
): string {
  return secrets.fingerprint('receipt', integrationId, keyId).toString('base64url');
}

/** Whether we created the secret, with any key of the ring: URLs stay valid after a rotation. */
export function isReceiptSecret(
  secrets: Pick<Secrets, 'fingerprint' | 'keyIds'>,
  integrationId: string,
  candidate: string,
): boolean {
  const bytes = Buffer.from(candidate);
  return secrets.keyIds.some((keyId) => {
    const secret = Buffer.from(createReceiptSecret(secrets, integrationId, keyId));
    return secret.length === bytes.length && timingSafeEqual(secret, bytes);
  });
}

/** The URL for a provider's reports. With `messageId`, the report names its message. */
export function buildReceiptUrl(address: {
  publicUrl: string;
  secrets: Pick<Secrets, 'fingerprint'>;
  integrationId: string;
  messageId?: string;
}): string {
  const { publicUrl, secrets, integrationId, messageId } = address;
  const base = publicUrl.replace(/(?<!\/)\/+$/, '');
  const path = `/v1/receipts/${integrationId}/${createReceiptSecret(secrets, integrationId)}`;
  return `${base}${path}${messageId === undefined ? '' : `?message=${messageId}`}`;
}

import { timingSafeEqual } from 'node:crypto';
import type { Secrets } from './secrets';

/** The part of a receipt's address that only we and the provider know; stored nowhere. */
export function createReceiptSecret(
  secrets: Pick<Secrets, 'fingerprint'>,
  integrationId: string,
  keyId?: string,
): string {
  return secrets.fingerprint('receipt', integrationId, keyId).toString('base64url');
}

/** Whether an address was made by us, with any key of the ring: addresses given out before a rotation go on working. */
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

/** Where a provider reports to. With `messageId` the report says which message it is about. */
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

import { buildReceiptUrl, createReceiptSecret, isReceiptSecret } from './receipt-address';
import { createKeyRing, createSecrets } from './secrets';

const oldRing = createKeyRing().replace('k1', 'old');
const newRing = `${createKeyRing().replace('k1', 'new')},${oldRing}`;

describe('a receipt’s address', () => {
  test('is taken for its own integration, and for no other', () => {
    const secrets = createSecrets(oldRing);
    const secret = createReceiptSecret(secrets, 'i1');
    expect(isReceiptSecret(secrets, 'i1', secret)).toBe(true);
    expect(isReceiptSecret(secrets, 'i2', secret)).toBe(false);
    expect(isReceiptSecret(secrets, 'i1', `${secret}x`)).toBe(false);
    expect(isReceiptSecret(secrets, 'i1', '')).toBe(false);
  });

  test('goes on working after the ring got a new first key', () => {
    const secret = createReceiptSecret(createSecrets(oldRing), 'i1');
    expect(isReceiptSecret(createSecrets(newRing), 'i1', secret)).toBe(true);
    expect(isReceiptSecret(createSecrets(createKeyRing()), 'i1', secret)).toBe(false);
  });

  test('names the message, and fits into a path', () => {
    const secrets = createSecrets(oldRing);
    const url = buildReceiptUrl({
      publicUrl: 'https://notify.example.com/belfry/',
      secrets,
      integrationId: 'i1',
      messageId: 'm1',
    });
    expect(url).toMatch(
      /^https:\/\/notify\.example\.com\/belfry\/v1\/receipts\/i1\/[\w-]{43}\?message=m1$/,
    );
  });
});

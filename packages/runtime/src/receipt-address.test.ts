import { buildReceiptUrl, createReceiptSecret, isReceiptSecret } from './receipt-address';
import { createKeyRing, createSecrets } from './secrets';

const oldRing = createKeyRing().replace('k1', 'old');
const newRing = `${createKeyRing().replace('k1', 'new')},${oldRing}`;

describe('a receipt URL', () => {
  test('is valid only for its own integration', () => {
    const secrets = createSecrets(oldRing);
    const secret = createReceiptSecret(secrets, 'i1');
    expect(isReceiptSecret(secrets, 'i1', secret)).toBe(true);
    expect(isReceiptSecret(secrets, 'i2', secret)).toBe(false);
    expect(isReceiptSecret(secrets, 'i1', `${secret}x`)).toBe(false);
    expect(isReceiptSecret(secrets, 'i1', '')).toBe(false);
  });

  test('stays valid after a key rotation', () => {
    const secret = createReceiptSecret(createSecrets(oldRing), 'i1');
    expect(isReceiptSecret(createSecrets(newRing), 'i1', secret)).toBe(true);
    expect(isReceiptSecret(createSecrets(createKeyRing()), 'i1', secret)).toBe(false);
  });

  test('contains the message id, escaped for a path', () => {
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

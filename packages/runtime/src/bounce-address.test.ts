import { buildBounceAddress, buildTestAddress, readBounceAddress } from './bounce-address';
import { createKeyRing, createSecrets } from './secrets';

const oldRing = createKeyRing().replace('k1', 'old');
const newRing = `${createKeyRing().replace('k1', 'new')},${oldRing}`;
const secrets = createSecrets(oldRing);
const messageId = '0198f3c2-7d41-7c3a-9b1e-2f4d5c6b7a80';
const domain = 'bounces.example.com';

describe('a bounce address', () => {
  test.each([true, false])('names its message and whether it has copies: %s', (hasCopies) => {
    const address = buildBounceAddress(secrets, { messageId, hasCopies, domain });
    expect(readBounceAddress(secrets, address)).toEqual({ messageId, hasCopies });
    expect(readBounceAddress(secrets, address.toUpperCase())).toEqual({ messageId, hasCopies });
  });

  test('of a connection test names its integration, and no message', () => {
    const tested = { testedIntegrationId: messageId };
    const address = buildTestAddress(secrets, { ...tested, domain });
    expect(readBounceAddress(secrets, address)).toEqual(tested);
    expect(readBounceAddress(secrets, address.replace(/^t/, 'b'))).toBeUndefined();
  });

  // RFC 5321, section 4.5.3.1.1.
  test('has a local part of at most 64 characters', () => {
    const address = buildBounceAddress(secrets, { messageId, hasCopies: true, domain });
    expect(address.indexOf('@')).toBeLessThanOrEqual(64);
  });

  test('stays valid after a key rotation, and not without its key', () => {
    const address = buildBounceAddress(secrets, { messageId, hasCopies: false, domain });
    const mail = { messageId, hasCopies: false };
    expect(readBounceAddress(createSecrets(newRing), address)).toEqual(mail);
    expect(readBounceAddress(createSecrets(createKeyRing()), address)).toBeUndefined();
  });

  test('with any character changed is not ours', () => {
    const address = buildBounceAddress(secrets, { messageId, hasCopies: false, domain });
    for (let at = 0; at <= address.indexOf('@'); at += 1) {
      const other = address[at] === '0' ? '1' : '0';
      const changed = `${address.slice(0, at)}${other}${address.slice(at + 1)}`;
      expect(readBounceAddress(secrets, changed)).toBeUndefined();
    }
  });

  test.each(['', '@', 'b+@x', `b+${'0'.repeat(32)}.@x`, 'ada@example.org'])(
    'is not %j',
    (address) => {
      expect(readBounceAddress(secrets, address)).toBeUndefined();
    },
  );
});

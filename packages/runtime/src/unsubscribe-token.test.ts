import { createKeyRing, createSecrets } from './secrets';
import { readUnsubscribeToken, writeUnsubscribeToken } from './unsubscribe-token';

const oldRing = createKeyRing().replace('k1', 'old');
const newRing = `${createKeyRing().replace('k1', 'new')},${oldRing}`;
const secrets = createSecrets(oldRing);
const nowMs = Date.UTC(2026, 11, 1, 23, 59);
const dayMs = 86_400_000;

const whole = {
  appId: '0198f3c2-7d41-7c3a-9b1e-2f4d5c6b7a80',
  messageId: '0198f3c2-7d41-7c3a-9b1e-2f4d5c6b7a81',
  userId: 'käufer "1"',
  channel: 'email',
  category: 'news',
  target: 'ada@example.org',
};
const { userId: _, category: __, ...bare } = whole;

describe('an unsubscribe token', () => {
  test.each([whole, bare])('gives back what it was written from: %j', (token) => {
    const text = writeUnsubscribeToken(token, { secrets, nowMs });
    expect(readUnsubscribeToken(text, { secrets, nowMs })).toEqual(token);
    expect(encodeURIComponent(text)).toBe(text);
  });

  test('shows neither the user nor the address', () => {
    const text = writeUnsubscribeToken(whole, { secrets, nowMs });
    const decoded = text.split('.').map((part) => Buffer.from(part, 'base64url').toString());
    expect(`${text}${decoded}`).not.toMatch(/ada|news|email/);
  });

  test('works for 365 days, and not on the day after', () => {
    const text = writeUnsubscribeToken(whole, { secrets, nowMs });
    const read = (days: number) =>
      readUnsubscribeToken(text, { secrets, nowMs: nowMs + days * dayMs });
    expect(read(365)).toEqual(whole);
    expect(read(366)).toBeUndefined();
  });

  test('stays valid after a key rotation, and not without its key', () => {
    const text = writeUnsubscribeToken(whole, { secrets, nowMs });
    const rotated = createSecrets(newRing);
    expect(readUnsubscribeToken(text, { secrets: rotated, nowMs })).toEqual(whole);
    const foreign = createSecrets(createKeyRing().replace('k1', 'old'));
    expect(readUnsubscribeToken(text, { secrets: foreign, nowMs })).toBeUndefined();
  });

  test('with any character changed is not ours', () => {
    const text = writeUnsubscribeToken(bare, { secrets, nowMs });
    for (let at = 0; at < text.length; at += 1) {
      const changed = `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
      expect(readUnsubscribeToken(changed, { secrets, nowMs })).toBeUndefined();
    }
  });

  test('is not another text that the ring sealed', () => {
    const sealed = secrets.seal(
      JSON.stringify([99_999, 'a', 'b', 'c', '', '', 'd']),
      'slack_ticket',
    );
    expect(readUnsubscribeToken(sealed, { secrets, nowMs })).toBeUndefined();
  });

  test.each(['', '.', 'v1.old..', 'v1.old.AAAA.AAAA', 'x'.repeat(10_000)])('is not %#', (text) => {
    expect(readUnsubscribeToken(text, { secrets, nowMs })).toBeUndefined();
  });
});

import { createApiKey, isSameSecret, parseApiKey } from './api-key';

describe('createApiKey', () => {
  test('creates a key that parses to its stored id and hash', () => {
    const { key, id, secretHash } = createApiKey();
    expect(key).toMatch(/^bk_[0-9A-Za-z]{60}$/);
    expect(key.slice(3, 25)).toBe(id);
    expect(parseApiKey(key)).toEqual({ id, secretHash });
  });

  test('never creates the same key twice', () => {
    expect(createApiKey().key).not.toBe(createApiKey().key);
  });
});

describe('parseApiKey', () => {
  const { key } = createApiKey();
  const otherCharacter = key.endsWith('A') ? 'B' : 'A';

  test.each([
    ['an empty string', ''],
    ['another prefix', key.replace('bk_', 'sk_')],
    ['a missing character', key.slice(0, -1)],
    ['an extra character', `${key}A`],
    ['a wrong checksum', `${key.slice(0, -1)}${otherCharacter}`],
    ['swapped characters', swapDifferent(key)],
    ['white space', ` ${key}`],
    ['a line break at the end', `${key}\n`],
  ])('rejects %s without a lookup', (_, text) => {
    expect(parseApiKey(text)).toBeUndefined();
  });

  test('uses the documented checksum: CRC32 of the preceding characters, in base 62', () => {
    const fixed = 'bk_0000000000000000000000AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
    expect(parseApiKey(`${fixed}1YXizv`)?.id).toBe('0'.repeat(22));
  });
});

describe('isSameSecret', () => {
  test.each([
    [true, 'a', 'a'],
    [false, 'a', 'b'],
    [false, 'a', 'aa'],
  ])('returns %p for %p and %p', (expected, candidate, stored) => {
    expect(isSameSecret(Buffer.from(candidate), Buffer.from(stored))).toBe(expected);
  });
});

function swapDifferent(key: string): string {
  const at = [...key].findIndex((character, index) => index > 3 && character !== key[index + 1]);
  return `${key.slice(0, at)}${key[at + 1]}${key[at]}${key.slice(at + 2)}`;
}

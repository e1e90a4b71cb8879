import { createKeyRing, createSecrets, SecretError } from './secrets';

const key = (fill: number) => Buffer.alloc(32, fill).toString('base64');

describe('createSecrets', () => {
  test('opens a sealed text at the place it was sealed for', () => {
    const secrets = createSecrets(createKeyRing());
    const sealed = secrets.seal('xoxb-test-token', 'integration:1:credentials');
    expect(sealed).not.toContain('xoxb-test');
    expect(secrets.open(sealed, 'integration:1:credentials')).toBe('xoxb-test-token');
  });

  test('does not open it at another place, so that it cannot be moved to another row', () => {
    const secrets = createSecrets(createKeyRing());
    const sealed = secrets.seal('secret', 'integration:1:credentials');
    expect(() => secrets.open(sealed, 'integration:2:credentials')).toThrow(SecretError);
  });

  test('does not open a modified text', () => {
    const secrets = createSecrets(`a:${key(1)}`);
    const sealed = secrets.seal('secret', 'p');
    const parts = sealed.split('.');
    for (const [index, part] of parts.entries()) {
      const changed = [...parts];
      changed[index] = part.startsWith('A') ? `B${part.slice(1)}` : `A${part.slice(1)}`;
      expect(() => secrets.open(changed.join('.'), 'p')).toThrow(SecretError);
    }
  });

  test.each(['x', '=', ' ', '.', '.x', '\n'])('does not open a text with %j after it', (more) => {
    const secrets = createSecrets(`a:${key(1)}`);
    // 1 to 3 bytes: base64url ends with 2, 3 and 4 letters.
    for (const text of ['a', 'ab', 'abc']) {
      const sealed = secrets.seal(text, 'p');
      expect(() => secrets.open(sealed + more, 'p')).toThrow(SecretError);
    }
  });

  test('seals with the first key and opens with every key of the ring', () => {
    const before = createSecrets(`old:${key(1)}`);
    const after = createSecrets(`new:${key(2)},old:${key(1)}`);
    expect(after.open(before.seal('secret', 'p'), 'p')).toBe('secret');
    expect(after.seal('secret', 'p')).toMatch(/^v1\.new\./);
  });

  test('names the key that is missing from the ring', () => {
    const sealed = createSecrets(`old:${key(1)}`).seal('secret', 'p');
    expect(() => createSecrets(`new:${key(2)}`).open(sealed, 'p')).toThrow('The key "old"');
  });

  test('fingerprints are equal for the same key and purpose, and differ otherwise', () => {
    const secrets = createSecrets(`new:${key(2)},old:${key(1)}`);
    const old = createSecrets(`old:${key(1)}`);
    expect(secrets.fingerprint('a', 'text')).toEqual(secrets.fingerprint('a', 'text'));
    expect(secrets.fingerprint('a', 'text')).not.toEqual(secrets.fingerprint('b', 'text'));
    expect(secrets.fingerprint('a', 'text', 'old')).toEqual(old.fingerprint('a', 'text'));
    expect(secrets.fingerprint('a', 'text')).not.toEqual(old.fingerprint('a', 'text'));
  });

  test.each(['', 'k1', 'k1:short', `k 1:${key(1)}`, `k1:${key(1)},k2`])(
    'rejects the ring %j',
    (ring) => {
      expect(() => createSecrets(ring)).toThrow(SecretError);
    },
  );
});

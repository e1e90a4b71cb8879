import { createKeyRing, createSecrets, SecretError } from './secrets';

const key = (fill: number) => Buffer.alloc(32, fill).toString('base64');

describe('createSecrets', () => {
  test('opens what it sealed, at the place it was sealed to', () => {
    const secrets = createSecrets(createKeyRing());
    const sealed = secrets.seal('xoxb-täst', 'integration:1:credentials');
    expect(sealed).not.toContain('xoxb');
    expect(secrets.open(sealed, 'integration:1:credentials')).toBe('xoxb-täst');
  });

  test('refuses to open at another place, so that a sealed text can not be moved to another row', () => {
    const secrets = createSecrets(createKeyRing());
    const sealed = secrets.seal('secret', 'integration:1:credentials');
    expect(() => secrets.open(sealed, 'integration:2:credentials')).toThrow(SecretError);
  });

  test('refuses a text that was changed in any part', () => {
    const secrets = createSecrets(`a:${key(1)}`);
    const sealed = secrets.seal('secret', 'p');
    const parts = sealed.split('.');
    for (const [index, part] of parts.entries()) {
      const changed = [...parts];
      changed[index] = part.startsWith('A') ? `B${part.slice(1)}` : `A${part.slice(1)}`;
      expect(() => secrets.open(changed.join('.'), 'p')).toThrow(SecretError);
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

  test('gives equal fingerprints under one key, and others for another purpose or key', () => {
    const secrets = createSecrets(`new:${key(2)},old:${key(1)}`);
    const old = createSecrets(`old:${key(1)}`);
    expect(secrets.fingerprint('a', 'text')).toEqual(secrets.fingerprint('a', 'text'));
    expect(secrets.fingerprint('a', 'text')).not.toEqual(secrets.fingerprint('b', 'text'));
    expect(secrets.fingerprint('a', 'text', 'old')).toEqual(old.fingerprint('a', 'text'));
    expect(secrets.fingerprint('a', 'text')).not.toEqual(old.fingerprint('a', 'text'));
  });

  test.each(['', 'k1', 'k1:short', `k 1:${key(1)}`, `k1:${key(1)},k2`])(
    'refuses the ring %j',
    (ring) => {
      expect(() => createSecrets(ring)).toThrow(SecretError);
    },
  );
});

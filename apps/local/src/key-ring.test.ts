import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSecrets } from '@belfry/runtime';
import { findKeyRing } from './key-ring';

describe('findKeyRing', () => {
  test('creates a ring that only its owner can read, and returns the same one later', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'belfry-keys-'));
    try {
      const file = path.join(folder, 'keys');
      const ring = findKeyRing(file);
      expect(findKeyRing(file)).toBe(ring);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(createSecrets(ring).keyId).toBe('k1');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

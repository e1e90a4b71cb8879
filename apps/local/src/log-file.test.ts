import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openLogFile } from './log-file';

describe('openLogFile', () => {
  test('appends to an existing file, and rotates a long one', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'belfry-log-'));
    try {
      const file = path.join(folder, 'api.log');
      for (const text of ['one\n', 'two\n']) {
        const log = openLogFile(file);
        log.append(text);
        log.close();
      }
      expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');

      const log = openLogFile(file);
      log.append('x'.repeat(20_000_001));
      log.append('after\n');
      log.close();
      expect(readFileSync(file, 'utf8')).toBe('after\n');
      expect(statSync(`${file}.old`).size).toBeGreaterThan(20_000_000);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

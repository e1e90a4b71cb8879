import { listDatabases } from '@belfry/embedded';
import { testDatabase } from './database';
import { testRedis } from './redis';
import { workerId } from './test-env';

describe('testDatabase', () => {
  test('gives a Jest worker its own database, cloned from the migrated template', async () => {
    const [first, second] = await Promise.all([testDatabase(), testDatabase()]);
    expect(first).toBe(second);
    expect(first.url).toMatch(new RegExp(`_w${workerId()}$`));
    expect(await listDatabases(first.url)).toContain(new URL(first.url).pathname.slice(1));
  });
});

describe('testRedis', () => {
  test('gives a Jest worker its own database number and prefix', () => {
    const { url, prefix } = testRedis();
    expect(prefix).toBe(`test-w${workerId()}`);
    expect(Number(new URL(url).pathname.slice(1))).toBeGreaterThanOrEqual(0);
  });
});

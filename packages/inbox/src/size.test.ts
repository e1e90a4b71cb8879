import { gzipSync } from 'node:zlib';
import { bundle } from './bundle.fixture';

const maxBytes = 15_000;

/** The limit is in docs/how-to/show-an-inbox.md: minified by esbuild, compressed by gzip. */
async function measure(code: string): Promise<number> {
  return gzipSync(await bundle(code, { isMinified: true }), { level: 9 }).length;
}

test('client and components together have at most 15 KB', async () => {
  const sizes = {
    all: await measure("export * from './src/browser';"),
    client: await measure("export * from './src/index';"),
  };
  process.stdout.write(`Size of @belfry/inbox in bytes: ${JSON.stringify(sizes)}\n`);
  expect(sizes.all).toBeGreaterThan(5_000);
  expect(sizes.all).toBeLessThanOrEqual(maxBytes);
  expect(sizes.client).toBeLessThanOrEqual(maxBytes / 2);
});

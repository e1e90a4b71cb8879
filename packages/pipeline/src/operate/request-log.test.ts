import { createRequestLog } from './request-log';

test('an aborted search reads no statement after the one that runs', async () => {
  const rows = Array.from({ length: 2_000 }, (_, n) => ({ id: `request ${n}`, isMatch: false }));
  const abort = new AbortController();
  let statements = 0;
  async function query() {
    statements += 1;
    if (statements === 2) abort.abort();
    return { rows };
  }
  // The log calls only this function.
  const log = createRequestLog({ query } as never, ['sent']);
  const filter = { appId: 'app', recipient: 'ana@example.com' };
  const page = await log.readPage(filter, { signal: abort.signal });
  expect([statements, page.ids]).toEqual([2, []]);
  await log.readPage(filter);
  expect(statements).toBeGreaterThan(4);
});

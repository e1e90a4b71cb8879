import { setTimeout as wait } from 'node:timers/promises';
import { newId } from '@belfry/runtime';
import type { Browser, Page } from 'playwright-core';
import { chromiumArgs, chromiumPath, createSetUpToken } from '../browser';
import { type BenchContext, type BenchLine, emptyStores } from './bench-context';
import { computeSpread } from './statistics';

const rounds = 3;
/** One page of the log, to compare with, and as many rows as an operator scrolls through. */
const rowCounts = [50, 10_000];

/**
 * The log in Chromium, scrolled to its end: tasks over 50 ms block the page (w3.org/TR/longtasks-1). Undefined on a machine
 * without a browser.
 */
export async function measurePage(context: BenchContext): Promise<BenchLine[] | undefined> {
  if (chromiumPath === undefined) return undefined;
  // Loaded only here: tests import this package, too.
  const { chromium } = await import('playwright-core');
  const dashboard = await context.world.startDashboard();
  const browser = await chromium.launch({ executablePath: chromiumPath, args: chromiumArgs });
  try {
    const lines: BenchLine[] = [];
    const page = await signIn(context, browser, dashboard.url);
    for (const rows of rowCounts) {
      context.onProgress(`page: log of ${rows} rows`);
      await emptyStores(context);
      await writeRequests(context, rows);
      const log = `${dashboard.url}/apps/${context.world.tenant.appId}/log`;
      const results: ScrollResult[] = [];
      for (let round = 0; round < rounds; round += 1) {
        await page.goto(log);
        results.push(await scrollToEnd(page));
      }
      lines.push({
        line: `log of ${rows} rows, scrolled to its end`,
        longTasks: computeSpread(results.map(({ tasks }) => tasks.length)),
        longestMs: computeSpread(results.map(({ tasks }) => Math.max(0, ...tasks))),
        nodes: computeSpread(results.map(({ nodes }) => nodes)),
      });
    }
    return lines;
  } finally {
    await browser.close();
    await dashboard.stop();
  }
}

async function signIn({ world }: BenchContext, browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } });
  const token = await createSetUpToken(world.database, world.tenant.accountId);
  const data = { token, email: 'bench@example.com', password: 'a sentence for the bench' };
  const options = { headers: { Origin: url }, data };
  const answer = await page.request.post(`${url}/api/set-up`, options);
  if (!answer.ok()) throw new Error(`Set-up was refused: ${answer.status()}`);
  await page.addInitScript({ content: observeLongTasks });
  return page;
}

/** Requests with one sent message each. */
async function writeRequests({ world }: BenchContext, rows: number): Promise<void> {
  const { accountId, appId } = world.tenant;
  const { eventId, versionId } = world.events.sms[0];
  const ids = Array.from({ length: rows }, newId);
  await world.database.lookUps.query(
    `WITH r AS (
       INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items)
       SELECT id, $2, $3, $4, $5, 'single', 1, 1 FROM unnest($1::uuid[]) id RETURNING id
     ), i AS (
       INSERT INTO request_item (request_id, item, recipient, planned_at)
       SELECT id, 0, '{"mobile":"+12025550123"}', now() FROM r)
     INSERT INTO message (id, request_id, item, app_id, channel, target, state, expires_at)
     SELECT gen_random_uuid(), id, 0, $3, 'sms', '+12025550123', 'sent', now() FROM r`,
    [ids, accountId, appId, eventId, versionId],
  );
  // As autovacuum does on a system that has run for a minute.
  await world.database.lookUps.query('ANALYZE request, request_item, message');
}

// Text, because this is compiled without the types of a browser.
const observeLongTasks = `
  globalThis.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((each) => each.duration)))
    .observe({ type: 'longtask', buffered: true });`;
/** `aria-rowcount` is -1 until the end was read. */
const scrollOn = `(() => {
  const table = document.querySelector('[aria-rowcount]');
  table.parentElement.scrollTop = table.parentElement.scrollHeight;
  return Number(table.getAttribute('aria-rowcount'));
})()`;
const readResult = '({ tasks: longTasks, nodes: document.querySelectorAll("*").length })';

type ScrollResult = { tasks: number[]; nodes: number };

const scrollTimeoutMs = 60_000;
const scrollPauseMs = 20;

async function scrollToEnd(page: Page): Promise<ScrollResult> {
  await page.getByRole('region', { name: 'Requests' }).locator('tbody a').first().waitFor();
  const endsAtMs = performance.now() + scrollTimeoutMs;
  while (Number(await page.evaluate(scrollOn)) < 0) {
    if (performance.now() > endsAtMs) throw new Error('The log was not read to its end in time');
    await wait(scrollPauseMs);
  }
  return page.evaluate(readResult);
}

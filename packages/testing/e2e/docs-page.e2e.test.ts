import { chromiumArgs, chromiumPath, type System, startSystem } from '@belfry/testing';
import { type Browser, chromium, type Page } from 'playwright-core';
import { startProxy } from './start-proxy';

// The renderer needs many seconds when tests share two cores.
jest.setTimeout(120_000);

// Without a browser on the machine, these tests are skipped.
const testInBrowser = chromiumPath === undefined ? test.skip : test;

let system: System | undefined;
let browser: Browser | undefined;
/** The page of the gateway. Rendering every operation takes seconds. */
let docs: OpenPage;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  [browser, system] = await Promise.all([
    chromium.launch({ executablePath: chromiumPath, args: chromiumArgs }),
    startSystem(),
  ]);
  docs = await openPage(`${system.apiUrl}/docs`);
});

afterAll(async () => {
  await browser?.close();
  await system?.stop();
});

/** A page with its requests and its problems. Policy violations appear on the console. */
type OpenPage = { page: Page; requestedUrls: string[]; problems: string[] };

async function openPage(url: string): Promise<OpenPage> {
  const page = await browser!.newPage();
  const requestedUrls: string[] = [];
  const problems: string[] = [];
  page.on('request', (request) => requestedUrls.push(request.url()));
  page.on('requestfailed', (request) => problems.push(`failed: ${request.url()}`));
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (consoleMessage) => {
    if (consoleMessage.type() !== 'log') problems.push(consoleMessage.text());
  });
  await page.goto(url);
  await page.waitForSelector('.opblock');
  return { page, requestedUrls, problems };
}

/** URLs under the base URL, and data URLs of the renderer's style sheet. */
function ownOrData(base: string): RegExp {
  return new RegExp(`^(${base.replace(/\/$/, '')}/|data:)`);
}

describe('the API reference page in a browser', () => {
  testInBrowser('shows every operation, and requests nothing from another origin', async () => {
    const { apiUrl } = system!;
    const { page, requestedUrls, problems } = docs;
    expect(await page.title()).toBe('Belfry API');
    const { paths } = JSON.parse(await (await fetch(`${apiUrl}/openapi.json`)).text());
    const operations = Object.values<object>(paths).flatMap(Object.values);
    expect(await page.locator('.opblock').count()).toBe(operations.length);
    for (const opened of ['Events-sendEvent', 'Devices-readDevice']) {
      await page.locator(`#operations-${opened} .opblock-summary-control`).click();
      await page.locator(`#operations-${opened} .responses-wrapper`).waitFor();
    }
    expect(await page.locator('.topbar').count()).toBe(0);
    expect(requestedUrls.length).toBeGreaterThan(5);
    for (const url of requestedUrls) expect(url).toMatch(ownOrData(apiUrl));
    expect(problems).toEqual([]);
  });

  testInBrowser('sends "try it" calls to the gateway that served the page', async () => {
    const tenant = await system!.factories.createTenant();
    const { page, problems } = docs;
    await page.locator('.btn.authorize').click();
    // The other field is the signature of a front end.
    const form = page.locator('.auth-container', { hasText: 'Authorization' }).first();
    await form.locator('input').fill(`AuthKey ${tenant.apiKey}`);
    await form.locator('.authorize').click();
    await page.locator('.btn-done').first().click();
    const operation = page.locator('#operations-Users-writeUser');
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.try-out__btn').click();
    const parameter = (name: string) => operation.locator(`tr[data-param-name="${name}"] input`);
    expect(await parameter('Idempotency-Key').inputValue()).toBe('');
    await parameter('app_id').fill(tenant.appId);
    await operation.locator('.execute').click();
    const answer = operation.locator('.live-responses-table .response-col_status').nth(1);
    await answer.waitFor();
    expect(await answer.textContent()).toContain('200');
    expect(problems).toEqual([]);
  });

  testInBrowser('works under a path of a proxy, also with a trailing slash', async () => {
    const proxy = await startProxy('/notify', system!.apiUrl);
    try {
      const { requestedUrls, problems } = await openPage(`${proxy.url}/notify/docs/`);
      expect(requestedUrls).toContain(`${proxy.url}/notify/openapi.json`);
      for (const url of requestedUrls) expect(url).toMatch(ownOrData(`${proxy.url}/notify`));
      expect(problems).toEqual([]);
    } finally {
      await proxy.close();
    }
  });
});

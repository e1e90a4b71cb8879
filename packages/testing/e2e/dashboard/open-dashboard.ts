import {
  chromiumArgs,
  chromiumPath,
  createSetUpToken,
  type SimulatedChannels,
  type System,
  startSimulatedChannels,
  startSystem,
  type Tenant,
  type TestProcess,
} from '@belfry/testing';
import { source as axeSource } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** Skipped on a machine without a browser, but not in CI: there it fails, because nothing tested the pages. */
const browserTest = chromiumPath === undefined && process.env['CI'] !== 'true' ? test.skip : test;

const browsers = new Set<Browser>();
const maxTreeCharacters = 6_000;

/** A test whose failure shows what was on the open pages. */
export function testInBrowser(title: string, run: () => Promise<void>, timeoutMs?: number): void {
  const runAndDescribe = async () => {
    try {
      await run();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const message = [error.message, ...(await describePages())].join('\n\n');
      // Jest prints the stack, which begins with the message.
      error.stack = (error.stack ?? '').replace(error.message, () => message);
      throw error;
    }
  };
  browserTest(title, runAndDescribe, timeoutMs);
}

async function describePages(): Promise<string[]> {
  const contexts = [...browsers].flatMap((browser) => browser.contexts());
  const pages = contexts.flatMap((context) => context.pages());
  return Promise.all(
    pages.map(async (page) => {
      const tree = await page.locator('body').ariaSnapshot({ timeout: 5_000 }).catch(String);
      return `The page ${page.url()} shows:\n${tree.slice(0, maxTreeCharacters)}`;
    }),
  );
}

export const password = 'a sentence of her own';

/** The running system with simulated providers, its dashboard, and a browser. */
export type OpenDashboard = {
  url: string;
  server: TestProcess;
  system: System;
  simulated: SimulatedChannels;
  tenant: Tenant;
  browser: Browser;
  /** Creates a one-time link, as `npm start` prints it; by default for the tenant's account. */
  createSetUpLink(accountId?: string): Promise<string>;
  /** Opens a visitor's page, or another page beside an existing one, with its session. */
  openPage(existingPage?: WatchedPage): Promise<WatchedPage>;
  /**
   * Empties this page and closes all others: open pages keep polling and slow down later tests. A new page takes three
   * times as long as the next document of an open one.
   */
  closeOtherPages(kept: WatchedPage): Promise<void>;
  close(): Promise<void>;
};

/** A page and its problems: errors, policy violations, requests to another origin. */
export type WatchedPage = { page: Page; problems: string[] };

const viewport = { width: 1_440, height: 900 };
/** Rendering is slow on a machine that runs other tests; nothing is measured here. */
const waitTimeoutMs = 60_000;

export type DashboardOptions = {
  delivery: 'live' | 'sandbox';
  /** Settings beyond the defaults of all tests. */
  env?: Record<string, string>;
  redisUrl?: string;
};

export async function openDashboard({
  delivery,
  env,
  ...stores
}: DashboardOptions): Promise<OpenDashboard> {
  const launching = chromium.launch({
    ...(chromiumPath ? { executablePath: chromiumPath } : {}),
    args: chromiumArgs,
  });
  const simulated = await startSimulatedChannels();
  const system = await startSystem({
    ...stores,
    env: { ...simulated.env, SEND_TIMEOUT_MS: '5000', ...env },
  });
  const [browser, dashboard, tenant] = await Promise.all([
    launching,
    system.startDashboard(),
    system.factories.createTenant({ delivery }),
  ]);
  browsers.add(browser);
  const ready = await dashboard.waitForLine('dashboard.ready');
  const url = `${ready['url']}/`;

  return {
    url,
    server: dashboard,
    system,
    simulated,
    tenant,
    browser,
    async createSetUpLink(accountId = tenant.accountId) {
      const token = await createSetUpToken(system.database, accountId);
      return `${url}set-up#${token}`;
    },
    openPage: (existingPage) => openPage(browser, url, existingPage),
    async closeOtherPages({ page: keptPage, problems }) {
      const pages = browser.contexts().flatMap((context) => context.pages());
      const others = pages.filter((page) => page !== keptPage);
      await Promise.all(others.map((page) => page.close()));
      await keptPage.unrouteAll();
      await keptPage.goto('about:blank');
      problems.length = 0;
    },
    async close() {
      browsers.delete(browser);
      await browser.close();
      await Promise.all([system.stop(), simulated.close()]);
    },
  };
}

async function openContext(browser: Browser): Promise<BrowserContext> {
  // Animations would have to be waited for.
  const context = await browser.newContext({
    viewport,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
  });
  context.setDefaultTimeout(waitTimeoutMs);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  return context;
}

async function openPage(
  browser: Browser,
  url: string,
  existingPage?: WatchedPage,
): Promise<WatchedPage> {
  const context = existingPage?.page.context() ?? (await openContext(browser));
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('request', (request) => {
    if (!/^(data|blob|about):/.test(request.url()) && !request.url().startsWith(url)) {
      problems.push(`foreign: ${request.url()}`);
    }
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (consoleMessage) => {
    const isRefusal = consoleMessage.text().includes('the server responded with a status of');
    if (consoleMessage.type() === 'error' && !isRefusal) problems.push(consoleMessage.text());
  });
  return { page, problems };
}

export async function signIn(page: Page, url: string, email: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'App' }).waitFor();
}

/** Uses the link, which works once, as its page does: the browser of the page gets the session. */
export async function setUp({ page }: WatchedPage, link: string, email: string): Promise<void> {
  const { origin, hash } = new URL(link);
  const answer = await page.request.post(new URL('api/set-up', link).href, {
    headers: { Origin: origin },
    data: { token: hash.slice(1), email, password },
  });
  if (!answer.ok()) throw new Error(`Set-up was refused: ${answer.status()}`);
}

/** Lists axe findings of any impact, or only those of the named rules. The mail's frame is excluded. */
export async function findA11yProblems(page: Page, onlyRules?: string[]): Promise<string[]> {
  await addAxe(page);
  return page.evaluate(async (runOnly) => {
    type AxeViolation = {
      id: string;
      nodes: { html: string; failureSummary?: string }[];
    };
    // `addAxe` has loaded it.
    const { axe } = globalThis as unknown as {
      axe: { run(context: object, options: object): Promise<{ violations: AxeViolation[] }> };
    };
    // Without this option, axe describes each element that passed.
    const options = { resultTypes: ['violations'], ...(runOnly ? { runOnly } : {}) };
    const { violations } = await axe.run({ exclude: [['iframe']] }, options);
    return violations.flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
    );
  }, onlyRules);
}

/** Loads axe into the page, past its policy. Loading it with every document would double the time of a navigation. */
async function addAxe(page: Page): Promise<void> {
  if (await page.evaluate(() => 'axe' in globalThis)) return;
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axeSource });
  await session.detach();
}

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { chromiumArgs, chromiumPath } from '@belfry/testing';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { startGateway, type TestGateway } from '../../../inbox/src/gateway.fixture';

const inboxScript = path.resolve(__dirname, '../../../inbox/dist/inbox.min.js');

/** A site with the components, which another origin, the gateway, serves with items. */
export type Site<Gateway extends SiteGateway = TestGateway> = {
  url: string;
  gateway: Gateway;
  browser: Browser;
  /** Adds a file to the site. */
  addFile(name: string, text: string): void;
  openPage(options?: PageOptions): Promise<SitePage>;
  close(): Promise<void>;
};

export type SiteGateway = {
  url: string;
  appId: string;
  /** Signs a token for the user, as the backend of the site does. */
  issueToken(userId: string): string;
  close(): Promise<void>;
};

export type PageOptions = {
  userId?: string;
  components?: string[];
  lang?: string;
  dir?: 'ltr' | 'rtl';
  file?: string;
  /** Shares cookies, locks and channels with the pages of this context. */
  context?: BrowserContext;
};

/** A page and its problems: errors, and violations of its policy. */
export type SitePage = { page: Page; problems: string[] };

const document = `<!doctype html>
<html>
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Shop</title>
    <script type="module" src="page.js"></script>
  </head>
  <body>
    <main><h1>Shop</h1></main>
  </body>
</html>`;

const script = `
import { createInbox } from './inbox.min.js';

const query = new URLSearchParams(location.search);
Object.assign(document.documentElement, { lang: query.get('lang'), dir: query.get('dir') });
const userId = query.get('user');
const inbox = createInbox({
  url: query.get('gateway'),
  appId: query.get('app'),
  userId,
  getToken: async () => (await fetch('token?user=' + encodeURIComponent(userId))).text(),
});
for (const name of query.getAll('component')) {
  const component = document.createElement(name);
  component.inbox = inbox;
  document.querySelector('main').append(component);
}
`;

const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' };

/** A site at a gateway that has only the inbox routes, and fails on request. */
export async function openSite(): Promise<Site> {
  return openSiteAt(await startGateway());
}

export async function openSiteAt<Gateway extends SiteGateway>(
  gateway: Gateway,
): Promise<Site<Gateway>> {
  const files = new Map([
    ['/', document],
    ['/page.js', script],
    ['/inbox.min.js', readFileSync(inboxScript, 'utf8')],
  ]);
  // The components need no permission for styles, and none for scripts beyond those of the site.
  const policy = `default-src 'none'; script-src 'self'; img-src 'self'; connect-src 'self' ${gateway.url}`;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://site');
    if (pathname === '/token') {
      response.end(gateway.issueToken(searchParams.get('user') ?? ''));
      return;
    }
    const text = files.get(pathname);
    response.setHeader('Content-Security-Policy', policy);
    response.setHeader(
      'Content-Type',
      `${types[path.extname(pathname)] ?? 'text/html'}; charset=utf-8`,
    );
    response.writeHead(text === undefined ? 404 : 200).end(text);
  });
  server.listen(0, '127.0.0.1');
  const [browser] = await Promise.all([
    chromium.launch({
      ...(chromiumPath ? { executablePath: chromiumPath } : {}),
      args: chromiumArgs,
    }),
    once(server, 'listening'),
  ]);
  // A server that listens on a port has an address with one.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  return {
    url,
    gateway,
    browser,
    addFile: (name, text) => void files.set(name, text),
    openPage: (options) => openPage({ url, gateway, browser }, options ?? {}),
    async close() {
      await browser.close();
      server.closeAllConnections();
      server.close();
      await gateway.close();
    },
  };
}

async function openPage(
  { url, gateway, browser }: { url: string; gateway: SiteGateway; browser: Browser },
  options: PageOptions,
): Promise<SitePage> {
  const { userId = 'ana', components = [], lang = 'en', dir = 'ltr', file = '' } = options;
  const context = options.context ?? (await browser.newContext({ reducedMotion: 'reduce' }));
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    const isRefusal = /Failed to load resource|ERR_/.test(message.text());
    if (message.type() === 'error' && !isRefusal) problems.push(message.text());
  });
  const query = new URLSearchParams({
    user: userId,
    lang,
    dir,
    gateway: gateway.url,
    app: gateway.appId,
  });
  for (const component of components) query.append('component', component);
  await page.goto(`${url}${file}?${query}`);
  return { page, problems };
}

import {
  channelVersion,
  chromiumArgs,
  chromiumPath,
  createSmtpSimulator,
  type SmtpSimulator,
  type System,
  startSystem,
  type Tenant,
} from '@belfry/testing';
import { simpleParser } from 'mailparser';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findA11yProblems } from './dashboard/open-dashboard';

// Without a browser on the machine, these tests are skipped.
const testInBrowser = chromiumPath === undefined ? test.skip : test;

const publicUrl = 'https://notify.example.com';
let server: SmtpSimulator;
let system: System;
let tenant: Tenant;
let browser: Browser | undefined;
/** An optional event with a category, and a mandatory one. */
let news: string;
let reset: string;

jest.setTimeout(120_000);

beforeAll(async () => {
  server = await createSmtpSimulator();
  system = await startSystem({ env: { PUBLIC_URL: publicUrl, LOOKUP_CACHE_MS: '0' } });
  tenant = await system.factories.createTenant({ delivery: 'live' });
  await system.factories.createCategory(tenant, 'news');
  const { id } = await system.factories.createIntegration(tenant, {
    channel: 'email',
    provider: 'smtp',
    settings: {
      ...{ host: '127.0.0.1', port: server.port, require_tls: false },
      from: { address: 'shop@example.com' },
    },
  });
  const text = 'Off: {{unsubscribe_url}} Choose: {{preferences_url}}';
  const email = channelVersion({ subject: 'Hi', text }, { integrationIds: [id] });
  const { createEvent } = system.factories;
  news = (await createEvent(tenant, { email }, { category: 'news' })).name;
  reset = (await createEvent(tenant, { email }, { kind: 'mandatory' })).name;
  if (chromiumPath === undefined) return;
  browser = await chromium.launch({ executablePath: chromiumPath, args: chromiumArgs });
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await system?.stop();
  await server?.close();
}, 120_000);

let users = 0;

/** A stored user with an address of its own. */
async function createUser(preferences: object = {}) {
  users += 1;
  const user = { user_id: `user_${users}`, email: `user_${users}@example.org`, preferences };
  const response = await fetch(`${system.apiUrl}/v1/apps/${tenant.appId}/users`, {
    method: 'POST',
    headers: { Authorization: `AuthKey ${tenant.apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(user),
  });
  expect(response.status).toBe(200);
  return user;
}

type User = { user_id?: string; email: string };

const send = (event: string, { user_id, email }: User, more: object = {}) =>
  system.sendAccepted(tenant, { event, user: user_id ? { user_id } : { email }, ...more });

/** Sends a mail; returns it as it arrived. */
async function sendMail(event: string, user: User) {
  const count = server.sends.length;
  await system.settled(await send(event, user), ['sent']);
  const arrived = server.sends.slice(count).find(({ to }) => to.includes(user.email));
  const mail = await simpleParser(arrived?.raw ?? '');
  const header = (name: string) =>
    String(mail.headerLines.find(({ key }) => key === name)?.line ?? '');
  const url = /<(https:[^>]+)>/.exec(header('list-unsubscribe').replace(/\s+/g, ''))?.[1] ?? '';
  return { mail, header, url, text: mail.text ?? '' };
}

/** The link on the gateway itself. */
const toLocal = (url: string) => url.replace(publicUrl, system.apiUrl.replace(/\/$/, ''));

const unsubscribe = (url: string) =>
  fetch(toLocal(url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
    redirect: 'manual',
  });

async function readSkip(requestId: string) {
  const [message] = await system.settled(requestId, ['skipped']);
  return message?.reason;
}

/** A request for a message that was not planned has the reason on its item. */
async function findPlannedSkip(requestId: string): Promise<unknown> {
  const item = await system.database.prisma.requestItem.findFirst({ where: { requestId } });
  return item?.skips;
}

test('a mail of an optional event can be unsubscribed from with one click; a mandatory one cannot', async () => {
  const user = await createUser();
  const { header, url, text } = await sendMail(news, user);
  expect(url).toMatch(/^https:\/\/notify\.example\.com\/u\/[\w.-]+$/);
  expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
  expect(header('list-id').replace(/\s+/g, '')).toBe(
    `List-Id:<news.${tenant.appId}.notify.example.com>`,
  );
  expect(text.replace(/\s+/g, '')).toBe(`Off:${url}Choose:${url}/preferences`);
  const mandatory = await sendMail(reset, user);
  expect(['list-unsubscribe', 'list-unsubscribe-post', 'list-id'].map(mandatory.header)).toEqual([
    '',
    '',
    '',
  ]);
  expect(mandatory.text).toMatch(/^Off: {2}Choose: https:/);
});

test('after the POST of a mail program, optional mail stops, also a scheduled one, and a password reset arrives', async () => {
  const user = await createUser();
  const { url } = await sendMail(news, user);
  const scheduled = await send(news, user, { schedule_at: Date.now() + 4_000 });
  expect([(await unsubscribe(url)).status, (await unsubscribe(url)).status]).toEqual([200, 200]);
  expect(await findPlannedSkip(await send(news, user))).toMatchObject({
    email: { reason: 'opted_out', detail: expect.stringContaining('“news”') },
  });
  expect(await readSkip(scheduled)).toBe('opted_out');
  expect((await sendMail(reset, user)).mail.subject).toBe('Hi');
});

test('100 visits of a scanner change nothing', async () => {
  const user = await createUser();
  const { url } = await sendMail(news, user);
  for (let visit = 0; visit < 50; visit += 1) {
    for (const method of ['GET', 'HEAD']) {
      expect((await fetch(toLocal(url), { method })).status).toBe(200);
    }
  }
  expect((await sendMail(news, user)).mail.subject).toBe('Hi');
});

test('a person who is not stored stops optional mail to the address, and still gets a password reset', async () => {
  const stranger = { email: 'stranger@example.org' };
  const { url } = await sendMail(news, stranger);
  expect((await unsubscribe(url)).status).toBe(200);
  expect(await readSkip(await send(news, stranger))).toBe('suppressed');
  expect((await sendMail(reset, stranger)).mail.subject).toBe('Hi');
});

test('the log has neither a token nor an address', async () => {
  const user = await createUser();
  const { url } = await sendMail(news, user);
  await fetch(toLocal(url));
  await unsubscribe(`${url}x`);
  const token = url.split('/').at(-1) ?? '';
  const lines = [system.api, ...system.workers].flatMap(({ lines: all }) => all);
  const text = JSON.stringify(lines);
  expect(text).toContain('/u/:token');
  expect(text).not.toContain(token);
  expect(text).not.toContain(user.email);
});

describe('the pages in a browser', () => {
  /** Keyboard only. Scripts are off for the page, and axe runs in a second one. */
  async function openPage(url: string, options: object = {}): Promise<Page> {
    const context = await browser!.newContext({ javaScriptEnabled: false, ...options });
    const page = await context.newPage();
    await page.goto(toLocal(url));
    return page;
  }

  async function findProblems(url: string, locale: string): Promise<string[]> {
    const page = await openPage(url, { javaScriptEnabled: true, locale });
    const messages: string[] = [];
    page.on('console', (message) => messages.push(message.text()));
    await page.reload();
    const own = messages.filter((text) => !/status of 404/.test(text));
    return [...own, ...(await findA11yProblems(page))];
  }

  testInBrowser('unsubscribe by keyboard, without scripts', async () => {
    const user = await createUser();
    const { url } = await sendMail(news, user);
    const page = await openPage(url);
    await page.getByRole('heading', { name: 'Unsubscribe' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('You are unsubscribed.').waitFor();
    expect(await findPlannedSkip(await send(news, user))).toMatchObject({
      email: { reason: 'opted_out' },
    });
    await page.getByRole('link', { name: 'Message preferences' }).click();
    expect(await page.getByRole('checkbox', { name: 'E-mail' }).isChecked()).toBe(false);
  });

  testInBrowser('change preferences by keyboard, without scripts', async () => {
    const user = await createUser();
    const { url } = await sendMail(news, user);
    const page = await openPage(`${url}/preferences`);
    const box = page.getByRole('group', { name: 'news' }).getByRole('checkbox', { name: 'E-mail' });
    expect(await box.isChecked()).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await page.getByText('Your choices are saved.').waitFor();
    expect(await box.isChecked()).toBe(false);
    expect(await findPlannedSkip(await send(news, user))).toMatchObject({
      email: { reason: 'opted_out' },
    });
  });

  testInBrowser('have nothing that axe finds, in both directions', async () => {
    const { url } = await sendMail(news, await createUser());
    for (const locale of ['en', 'ar']) {
      for (const end of ['', '/preferences', 'x']) {
        expect([locale, end, await findProblems(`${url}${end}`, locale)]).toEqual([
          locale,
          end,
          [],
        ]);
      }
    }
  });
});

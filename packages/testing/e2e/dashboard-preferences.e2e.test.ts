import { readFileSync } from 'node:fs';
import { newId } from '@belfry/runtime';
import { channelVersion, chromiumPath, eventually } from '@belfry/testing';
import type { Page } from 'playwright-core';
import {
  type OpenDashboard,
  openDashboard,
  setUp,
  testInBrowser,
  type WatchedPage,
} from './dashboard/open-dashboard';
import { inspectPage } from './dashboard/pictures';
import { expectFocus, pressEnterOn, tabTo } from './dashboard/use-keyboard';

// The renderer needs many seconds where two cores are shared.
jest.setTimeout(240_000);

const event = 'newsletter';
const [sid, userId] = [newId(), 'u_20391'];

let dashboard: OpenDashboard;
let owner: WatchedPage;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  dashboard = await openDashboard({ delivery: 'sandbox' });
  owner = await dashboard.openPage();
  await setUp(owner, await dashboard.createSetUpLink(), 'olga@example.com');
  const { factories, database } = dashboard.system;
  await factories.createEvent(
    dashboard.tenant,
    { email: channelVersion({ subject: 'Hello', html: '<p>Hello</p>' }) },
    { name: event },
  );
  const contact = { email: 'ana.ruiz@example.com', mobile: '+12025550142' };
  const { appId } = dashboard.tenant;
  await database.prisma.user.create({ data: { id: sid, appId, userId, contact } });
});

afterAll(() => dashboard?.close());

const appUrl = (place: string) => `${dashboard.url}apps/${dashboard.tenant.appId}/${place}`;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name });

/** The app has these categories, in this order, and no event has one. */
async function setCategories(...slugs: string[]): Promise<void> {
  const { prisma } = dashboard.system.database;
  const { appId } = dashboard.tenant;
  await dashboard.system.database.lookUps.query('UPDATE event SET draft = NULL WHERE app_id = $1', [
    appId,
  ]);
  await prisma.category.deleteMany({ where: { appId } });
  const rows = slugs.map((slug, index) => {
    return { appId, slug, position: index + 1, texts: { en: { name: slug, description: '' } } };
  });
  await prisma.category.createMany({ data: rows });
}

async function openCategories(...slugs: string[]): Promise<WatchedPage> {
  await setCategories(...slugs);
  const { page } = owner;
  await page.goto(appUrl('events'));
  await page.getByRole('link', { name: event }).click();
  await page.getByRole('tab', { name: 'Settings' }).click();
  await button(page, 'Manage categories').click();
  await dialog(page, 'Categories').waitFor();
  return owner;
}

async function createCategory(page: Page, slug: string, name: string): Promise<void> {
  await page.getByLabel('Slug').fill(slug);
  await page.getByLabel('Name (en)').fill(name);
  await button(page, 'Create category').click();
  await button(page, `Edit ${slug}`).waitFor();
}

async function readDraftCategory(): Promise<unknown> {
  const { rows } = await dashboard.system.database.lookUps.query(
    `SELECT draft ->> 'category' AS slug FROM event WHERE app_id = $1`,
    [dashboard.tenant.appId],
  );
  return rows[0]?.slug;
}

const listSlugs = (page: Page) =>
  dialog(page, 'Categories').getByRole('listitem').locator('.tag').allTextContents();

describe('categories', () => {
  testInBrowser('are created, renamed, sorted and deleted in the dialog', async () => {
    const { page, problems } = await openCategories();
    await createCategory(page, 'news', 'News');
    await createCategory(page, 'offers', 'Offers');
    await createCategory(page, 'tips', 'Tips');
    expect(await inspectPage(page, 'categories')).toEqual([]);
    await button(page, 'Edit news').click();
    const edit = dialog(page, 'Edit category news');
    await edit.getByLabel('Name (en)').fill('What is new');
    await edit.getByLabel('Add language').fill('de');
    await button(page, 'Add de').click();
    await edit.getByLabel('Name (de)').fill('Neues');
    expect(await inspectPage(page, 'category')).toEqual([]);
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.waitFor({ state: 'detached' });
    await dialog(page, 'Categories').getByText('Neues').waitFor();
    await button(page, 'Move news down').click();
    await page.getByText('news is number 2 of 3.').waitFor();
    expect(await listSlugs(page)).toEqual(['offers', 'news', 'tips']);
    await button(page, 'Delete tips').click();
    await button(page, 'Delete tips').waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('tab', { name: 'Settings' }).click();
    await button(page, 'Manage categories').click();
    await dialog(page, 'Categories').getByText('Neues').waitFor();
    expect(await listSlugs(page)).toEqual(['offers', 'news']);
    expect(problems).toEqual([]);
  });

  testInBrowser('that an event has are not deleted, and the dialog names the event', async () => {
    const { page } = await openCategories('offers', 'news');
    await button(page, 'Close').click();
    await page.getByLabel('Category').selectOption('news');
    await eventually(async () => expect(await readDraftCategory()).toBe('news'));
    await button(page, 'Manage categories').click();
    await button(page, 'Delete news').click();
    const alert = dialog(page, 'Categories').getByRole('alert');
    expect(await alert.textContent()).toContain(`“news”, live or in their draft: ${event}.`);
    expect(await listSlugs(page)).toEqual(['offers', 'news']);
  });

  testInBrowser('are sorted and edited with the keyboard alone', async () => {
    const { page } = await openCategories('offers', 'news');
    await tabTo(button(page, 'Move offers down'));
    await page.keyboard.press('Enter');
    await page.getByText('offers is number 2 of 2.').waitFor();
    expect(await listSlugs(page)).toEqual(['news', 'offers']);
    await expectFocus(button(page, 'Move offers up'));
    await pressEnterOn(button(page, 'Edit offers'));
    await expectFocus(dialog(page, 'Edit category offers').getByLabel('Name (en)'));
    await page.keyboard.press('Escape');
    await expectFocus(button(page, 'Edit offers'));
    await page.keyboard.press('Escape');
    await expectFocus(button(page, 'Manage categories'));
  });
});

testInBrowser('an operator changes the preferences of a user on their page', async () => {
  const { page, problems } = owner;
  await setCategories('news');
  await page.goto(appUrl(`users/${sid}`));
  await button(page, 'Change preferences').click();
  const preferences = dialog(page, `Preferences of ${userId}`);
  const choose = (level: string, value: string) =>
    preferences
      .getByRole('group', { name: level })
      .getByRole('button', { name: value, exact: true });
  await choose('sms', 'Off').click();
  await preferences.getByLabel('Events').selectOption('news');
  await choose('Every channel', 'Off').click();
  await choose('email', 'On').click();
  expect(await inspectPage(page, 'preferences')).toEqual([]);
  await button(page, 'Save preferences').click();
  await preferences.waitFor({ state: 'detached' });
  await page
    .getByText('sms is off, category “news” is off, category “news” is on for email.')
    .waitFor();
  const stored = await dashboard.system.database.prisma.user.findFirstOrThrow({
    where: { id: sid },
  });
  expect(stored.contact).toMatchObject({
    preferences: {
      channel_preferences: { sms: { disabled: true } },
      categories: { news: { disabled: true, channel_preferences: { email: { disabled: false } } } },
    },
  });
  expect(problems).toEqual([]);
});

testInBrowser('suppressions are imported from a file, and exported as one', async () => {
  const { page, problems } = owner;
  await page.goto(appUrl('users?list=suppressions'));
  await button(page, 'Import CSV').click();
  const choose = (csv: string) =>
    page.getByLabel('CSV file').setInputFiles({
      ...{ name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) },
    });
  await choose('channel,address\nemail,nobody\n');
  await page.getByText('Line 2, address', { exact: false }).waitFor();
  const head = 'channel,address,reason,detail\n';
  await choose(`\uFEFF${head}email,Ana@Example.com,bounced,=1+1\nsms,+1 202 555 0142,opted_out,\n`);
  await button(page, 'Import 2 addresses').waitFor();
  expect(await inspectPage(page, 'import')).toEqual([]);
  await button(page, 'Import 2 addresses').click();
  await page.getByRole('row', { name: /ana@example.com/ }).waitFor();
  expect(await inspectPage(page, 'suppressions')).toEqual([]);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    button(page, 'Export CSV (times in UTC)').click(),
  ]);
  const lines = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  expect(lines.map((line) => line.split(',').slice(0, 7).join(','))).toEqual([
    'channel,address,sender,scope,reason,source,detail',
    'sms,+12025550142,,optional,opted_out,unsubscribe,',
    "email,ana@example.com,,all,bounced,bounce,'=1+1",
  ]);
  expect(problems).toEqual([]);
});

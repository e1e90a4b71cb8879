import { newId } from '@belfry/runtime';
import { channelVersion, chromiumPath } from '@belfry/testing';
import type { Page } from 'playwright-core';
import {
  type OpenDashboard,
  openDashboard,
  password,
  setUp,
  testInBrowser,
  type WatchedPage,
} from './dashboard/open-dashboard';
import { inspectPage } from './dashboard/pictures';

// The renderer needs many seconds where two cores are shared.
jest.setTimeout(240_000);

const ownerEmail = 'olga@example.com';
const guestEmail = 'viktor@example.com';

let dashboard: OpenDashboard;
let owner: WatchedPage;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  dashboard = await openDashboard({ delivery: 'sandbox' });
  owner = await dashboard.openPage();
  await setUp(owner, await dashboard.createSetUpLink(), ownerEmail);
});

afterAll(() => dashboard?.close());

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.getByRole('dialog');

async function confirm(page: Page, action: string): Promise<void> {
  await dialog(page).getByLabel('Your password').fill(password);
  await dialog(page).getByRole('button', { name: action }).click();
  await dialog(page).waitFor({ state: 'detached' });
}

describe('people', () => {
  let guest: WatchedPage;

  testInBrowser(
    'an owner creates an invitation link, which admits its address once, as a viewer',
    async () => {
      const { page, problems } = owner;
      await page.goto(`${dashboard.url}people`);
      await button(page, 'Invite person').click();
      await page.getByLabel('E-mail').fill(guestEmail);
      await button(page, 'Viewer').click();
      await confirm(page, 'Create link');
      const link = String(
        await page
          .getByRole('figure')
          .filter({ hasText: /^Link for/ })
          .locator('pre')
          .textContent(),
      );
      expect(link).toMatch(/\/join#[\w-]{43}$/);
      await page.getByRole('row', { name: new RegExp(guestEmail) }).waitFor();
      expect(await inspectPage(page, 'people')).toEqual([]);
      guest = await dashboard.openPage();
      await guest.page.goto(link);
      await guest.page.getByRole('heading', { name: /^Join / }).waitFor();
      expect(await inspectPage(guest.page, 'join')).toEqual([]);
      expect(await guest.page.getByLabel('E-mail').inputValue()).toBe(guestEmail);
      await guest.page.getByLabel('Password').fill(password);
      await button(guest.page, 'Join and sign in').click();
      await guest.page.getByRole('navigation', { name: 'App' }).waitFor();
      const other = await dashboard.openPage();
      await other.page.goto(link);
      await other.page.getByRole('heading', { name: 'This link does not work' }).waitFor();
      await other.page.close();
      expect([...problems, ...guest.problems]).toEqual([]);
    },
  );

  testInBrowser(
    'a viewer sees no change buttons, and the server refuses their changes',
    async () => {
      const { page } = guest;
      await page.goto(`${dashboard.url}people`);
      await page.getByRole('row', { name: new RegExp(ownerEmail) }).waitFor();
      expect(await page.getByRole('button', { name: /Invite|Change role|Remove/ }).count()).toBe(0);
      const statuses = await page.evaluate(async (appId) => {
        const send = async (method: string, path: string, body: object) => {
          const headers = { 'Content-Type': 'application/json' };
          const answer = await fetch(path, { method, headers, body: JSON.stringify(body) });
          return answer.status;
        };
        return [
          await send('POST', 'api/people/invitations', { email: 'x@example.com', role: 'owner' }),
          await send('PATCH', `api/apps/${appId}`, { delivery: 'live' }),
          await send('POST', `api/apps/${appId}/channels/sms/pause`, {}),
        ];
      }, dashboard.tenant.appId);
      expect(statuses).toEqual([403, 403, 403]);
    },
  );

  testInBrowser(
    'a new role applies at once; a removed person is signed out at once; the last owner cannot leave',
    async () => {
      const { page } = owner;
      await page.goto(`${dashboard.url}people`);
      await button(page, `Change role of ${guestEmail}`).click();
      await button(page, 'Editor').click();
      await confirm(page, 'Change role');
      await page.getByRole('row', { name: new RegExp(`${guestEmail}.*editor`) }).waitFor();
      await button(page, `Remove ${ownerEmail}`).click();
      await dialog(page).getByLabel('Your password').fill(password);
      await button(page, 'Leave account').click();
      await dialog(page).getByText('This is the only owner').waitFor();
      await button(page, 'Cancel').click();
      await button(page, `Remove ${guestEmail}`).click();
      await confirm(page, 'Remove person');
      await guest.page.reload();
      await guest.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await guest.page.close();
      await page.goto(`${dashboard.url}audit`);
      for (const action of [
        'operator.removed',
        'operator.role_changed',
        'operator.link_used',
        'invitation.created',
      ]) {
        await page.getByRole('cell', { name: action }).first().waitFor();
      }
    },
  );
});

testInBrowser('the buttons of an app stay in one line, and its row inside the page', async () => {
  const { page } = owner;
  await page.goto(`${dashboard.url}apps`);
  const buttons = page.getByRole('button', { name: /^(Go live|Change|Inbox secrets|Remove)$/ });
  await buttons.nth(3).waitFor();
  for (const width of [720, 900, 1_080, 1_279, 1_280]) {
    await page.setViewportSize({ width, height: 800 });
    const boxes = await Promise.all((await buttons.all()).map((one) => one.boundingBox()));
    const tops = new Set(boxes.map((box) => Math.round(box?.y ?? -1)));
    const right = Math.max(...boxes.map((box) => (box ? box.x + box.width : Infinity)));
    expect([width, boxes.length, tops.size, right <= width]).toEqual([width, 4, 1, true]);
  }
  expect(await inspectPage(page, 'apps')).toEqual([]);
});

testInBrowser('an invitation is revoked after a confirmation', async () => {
  const { page } = owner;
  await page.goto(`${dashboard.url}people`);
  await button(page, 'Invite person').click();
  await page.getByLabel('E-mail').fill('nora@example.com');
  await confirm(page, 'Create link');
  await button(page, 'Revoke the invitation of nora@example.com').click();
  await button(page, 'Revoke invitation').click();
  await dialog(page).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /nora@example.com/ }).waitFor({ state: 'detached' });
});

describe('users', () => {
  const [sid, userId, userEmail] = [newId(), 'u_20391', 'ana.ruiz@example.com'];
  let requestId: string;

  async function createAna(): Promise<void> {
    const { system, tenant } = dashboard;
    const { prisma } = system.database;
    const { appId } = tenant;
    const contact = {
      email: userEmail,
      mobile: '+12025550123',
      slack: { channel_id: 'U0555010142' },
      preferences: { locale: 'es', channel_preferences: { whatsapp: { disabled: true } } },
    };
    await prisma.user.create({ data: { id: sid, appId, userId, contact } });
    for (const name of ['u_11820', 'u_20404', 'u_48213', 'u_51077']) {
      const otherContact = { email: `${name}@example.com`, mobile: '+12025550187' };
      await prisma.user.create({
        data: { id: newId(), appId, userId: name, contact: otherContact },
      });
    }
    const device = { appId, userSid: sid, platform: 'android' };
    await prisma.device.createMany({
      data: [
        { ...device, id: newId(), clientId: 'pixel-8', fcmToken: 'token-of-her-phone' },
        {
          ...device,
          id: newId(),
          clientId: 'old-tablet',
          fcmToken: 'token-of-her-tablet',
          notificationsDisabled: true,
          disabledReason: 'UNREGISTERED',
        },
      ],
    });
    const event = await system.factories.createEvent(
      tenant,
      {
        email: channelVersion({ subject: 'Your order', html: '<p>Hello {{name}}</p>' }),
        sms: channelVersion({ text: 'Hello {{name}}' }),
        in_app: channelVersion({ title: 'Order', body: 'Hello {{name}}' }),
      },
      { name: 'order_shipped' },
    );
    const call = { event: event.name, user: { user_id: userId }, data: { name: 'Ana' } };
    requestId = await system.sendAccepted(tenant, call);
    await system.settled(requestId, ['sent', 'sent', 'sent']);
  }

  const place = () => `${dashboard.url}apps/${dashboard.tenant.appId}/users`;

  testInBrowser(
    'a search by the first digits of a phone number finds a user, and the page shows all stored data',
    async () => {
      await createAna();
      const { page, problems } = owner;
      await page.goto(place());
      await page.getByRole('link', { name: 'u_48213' }).waitFor();
      expect(await inspectPage(page, 'users')).toEqual([]);
      await page.getByLabel('Find', { exact: true }).fill('1 202 555-0123');
      const userRow = page.getByRole('row', { name: new RegExp(`${userId}.*mobile`) });
      await userRow.waitFor();
      expect(page.url()).toContain('text=1+202');
      await userRow.getByRole('link').click();
      await page.getByText('disabled: the provider answered UNREGISTERED').waitFor();
      const preferences = 'whatsapp is off. Mandatory events are still sent.';
      await page.getByText(preferences, { exact: true }).waitFor();
      expect(await inspectPage(page, 'user')).toEqual([]);
      await page.reload();
      await page.getByText('disabled: the provider answered UNREGISTERED').waitFor();
      expect(problems).toEqual([]);
    },
  );

  testInBrowser('suppressing an address records who and why; allowing it ends that', async () => {
    const { page } = owner;
    await page.goto(`${place()}/${sid}`);
    await button(page, `Suppress email to ${userEmail}`).click();
    await page.getByLabel('Reason').fill('asked for it by phone');
    await button(page, 'Suppress').click();
    await page.getByText(`by ${ownerEmail}: asked for it by phone`).waitFor();
    await page.goto(`${place()}?list=suppressions`);
    await page.getByRole('row', { name: new RegExp(`${userEmail}.*manual`) }).waitFor();
    await button(page, 'Suppress address').click();
    await page.getByLabel('Channel').selectOption('sms');
    await page.getByRole('textbox', { name: 'Address' }).fill('202 555');
    await page.getByLabel('Reason').fill('wrong person');
    await button(page, 'Suppress').click();
    await dialog(page).locator('[aria-invalid="true"]').waitFor();
    await page.getByRole('textbox', { name: 'Address' }).fill('+1 202 555-0187');
    await button(page, 'Suppress').click();
    await page.getByRole('row', { name: /\+12025550187/ }).waitFor();
    expect(await inspectPage(page, 'suppressions')).toEqual([]);
    await button(page, `Allow email to ${userEmail}`).click();
    await dialog(page).getByText(`by ${ownerEmail}`).waitFor();
    await button(page, 'Allow').click();
    await page.getByRole('row', { name: new RegExp(userEmail) }).waitFor({ state: 'detached' });
  });

  testInBrowser(
    'the page of a user lists their messages as log rows, by person or address',
    async () => {
      const { page } = owner;
      await page.goto(`${place()}/${sid}`);
      await page.getByRole('tab', { name: 'Messages' }).click();
      // The profile, which is shown a moment longer, links the request from each message.
      const rows = page.getByRole('region', { name: 'Requests' });
      await rows.getByRole('link', { name: 'order_shipped' }).waitFor();
      expect(page.url()).toContain('tab=sent');
      expect(await inspectPage(page, 'user-sent')).toEqual([]);
      await page.getByLabel('Sent to').selectOption(userEmail);
      await rows.getByRole('link', { name: 'order_shipped' }).waitFor();
      await page.getByLabel('Sent to').selectOption('U0555010142');
      await page.getByText('No request to U0555010142.').waitFor();
      await page.getByRole('link', { name: 'Open in the log' }).click();
      await page.getByRole('heading', { name: 'Log' }).waitFor();
    },
  );

  testInBrowser(
    'erasing a user requires typing their id; rows stay without personal data',
    async () => {
      const { page, problems } = owner;
      await page.goto(`${place()}/${sid}`);
      await button(page, 'Erase user').click();
      const erase = dialog(page).getByRole('button', { name: 'Erase user' });
      await dialog(page).getByLabel('User ID').fill('u_2039');
      expect(await erase.isDisabled()).toBe(true);
      await dialog(page).getByLabel('User ID').fill(userId);
      expect(await inspectPage(page, 'erase')).toEqual([]);
      await erase.click();
      const row = page.getByRole('row', { name: new RegExp(sid) });
      await row.waitFor();
      expect(await row.textContent()).toMatch(/olga@example\.com.*3.*erased/);
      expect(await inspectPage(page, 'erased')).toEqual([]);
      const messages = await dashboard.system.readMessages(requestId);
      expect(messages.map(({ id, target }) => target === `erased:${id}`)).toEqual([
        true,
        true,
        true,
      ]);
      await page.goto(`${dashboard.url}apps/${dashboard.tenant.appId}/log/${requestId}`);
      await page.getByRole('button', { name: /^email.*(sent|delivered)/ }).waitFor();
      expect(await page.content()).not.toContain(userEmail);
      await page.goto(`${place()}?text=${userId}`);
      await page.getByText('No stored user has an ID').waitFor();
      expect(problems).toEqual([]);
    },
  );
});

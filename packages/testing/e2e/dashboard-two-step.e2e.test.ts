import { chromiumPath } from '@belfry/testing';
import { Secret, TOTP } from 'otpauth';
import type { Locator } from 'playwright-core';
import {
  type OpenDashboard,
  openDashboard,
  password,
  setUp,
  testInBrowser,
  type WatchedPage,
} from './dashboard/open-dashboard';
import { inspectPage } from './dashboard/pictures';
import { expectFocus, pressEnterOn, tabTo } from './dashboard/use-keyboard';

// The renderer needs many seconds where two cores are shared.
jest.setTimeout(240_000);

const email = 'olga@example.com';
const stepMs = 30_000;

let dashboard: OpenDashboard;
let home: WatchedPage;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  dashboard = await openDashboard({ delivery: 'sandbox' });
  home = await dashboard.openPage();
  await setUp(home, await dashboard.createSetUpLink(), email);
});

afterAll(() => dashboard?.close());

/** The code that an authenticator app shows. */
function createCode(secret: string, timestamp = Date.now()): string {
  return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp });
}

/** Types into the field that has the focus by itself, and presses Enter. */
async function enterInto(field: Locator, text: string): Promise<void> {
  await expectFocus(field);
  await field.page().keyboard.type(text);
  await field.page().keyboard.press('Enter');
}

testInBrowser(
  'an operator adds an authenticator app, signs in with its code, and with a recovery code, by keyboard alone',
  async () => {
    const { page, problems } = home;
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const field = (label: string) => page.getByLabel(label, { exact: true });
    const press = (name: string) => pressEnterOn(button(name));
    const signIn = async () => {
      await tabTo(field('E-mail'));
      await page.keyboard.type(email);
      await tabTo(field('Password'));
      await page.keyboard.type(password);
      await page.keyboard.press('Enter');
    };
    const readBlock = async (title: string) =>
      String(
        await page
          .getByRole('figure')
          .filter({ has: button(`Copy ${title}`) })
          .locator('pre')
          .textContent(),
      );

    await page.goto(`${dashboard.url}account`);
    await press('Add authenticator app');
    await enterInto(field('Your password'), password);
    await page.getByRole('img', { name: /^QR code/ }).waitFor();
    expect(await inspectPage(page, 'add-app')).toEqual([]);
    const secret = (await readBlock('Key')).replaceAll(' ', '');
    await enterInto(field('Code'), createCode(secret));
    await button('I saved the codes').waitFor();
    const [recoveryCode = ''] = (await readBlock('Recovery codes')).split('\n');
    await press('I saved the codes');
    await page.getByText('10 recovery codes left').waitFor();
    expect(await inspectPage(page, 'account')).toEqual([]);

    await press('Sign out');
    await signIn();
    await page.getByRole('heading', { name: 'Enter a code' }).waitFor();
    expect(await inspectPage(page, 'code')).toEqual([]);
    await enterInto(field('Code'), '000000');
    await field('Code').and(page.locator('[aria-invalid="true"]')).waitFor();
    await tabTo(field('Code'));
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(createCode(secret, Date.now() + stepMs));
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'App' }).waitFor();

    await press('Sign out');
    await signIn();
    await press('Use a recovery code');
    await enterInto(field('Recovery code'), recoveryCode);
    await page.getByText('9 recovery codes left').waitFor();

    await press('Remove');
    await expectFocus(field('Your password'));
    await page.keyboard.press('Escape');
    await page.goto(`${dashboard.url}audit`);
    for (const action of ['operator.totp_added', 'operator.recovery_code_used']) {
      await page.getByRole('cell', { name: action }).first().waitFor();
    }
    expect(problems).toEqual([]);
  },
);

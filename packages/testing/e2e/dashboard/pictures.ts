import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { findA11yProblems } from './open-dashboard';

/** UPDATE_SCREENSHOTS=1 refreshes the screenshots that exist. To add one, create an empty file of its name first. */
const screenshots = path.resolve(__dirname, '../../../../docs/screenshots');
const isWriting = process.env['UPDATE_SCREENSHOTS'] === '1';
const settleMs = 700;

export const themes = ['light', 'dark'] as const;
export const wide = { width: 1_440, height: 900 };
export const narrow = { width: 900, height: 1_000 };
/** A window of 1280 by 800 px at 200 % zoom. */
export const zoomed = { width: 640, height: 400 };

/** Lists axe findings in both themes, and the overflow in px in a narrow window and at 200 % zoom. */
export async function inspectPage(page: Page, name: string): Promise<string[]> {
  const problems: string[] = [];
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme });
    await takePicture(page, `${name}-${theme}`);
    problems.push(...(await findA11yProblems(page)).map((problem) => `${theme}: ${problem}`));
  }
  await page.emulateMedia({ colorScheme: 'light' });
  for (const [window, picture] of [[narrow, `${name}-900`] as const, [zoomed] as const]) {
    const overhang = await measureOverhang(page, window);
    if (picture) await takePicture(page, picture);
    if (overhang > 0) problems.push(`${overhang} px wider than ${window.width}`);
  }
  await page.setViewportSize(wide);
  return problems;
}

export async function takePicture(page: Page, name: string): Promise<void> {
  const file = path.join(screenshots, `dashboard-${name}.webp`);
  if (!isWriting || !existsSync(file)) return;
  await page.waitForTimeout(settleMs);
  const browser = await page.context().newCDPSession(page);
  const { data } = await browser.send('Page.captureScreenshot', { format: 'webp', quality: 82 });
  await browser.detach();
  writeFileSync(file, Buffer.from(data, 'base64'));
}

/** The overflow of a page beyond its window, in px. */
export async function measureOverhang(
  page: Page,
  window: { width: number; height: number },
): Promise<number> {
  await page.setViewportSize(window);
  const width = (field: string) =>
    page.locator('html').evaluate((html, name): number => Reflect.get(html, name), field);
  return (await width('scrollWidth')) - (await width('clientWidth'));
}

import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { findA11yProblems } from './open-dashboard';

/** UPDATE_SCREENSHOTS=1 refreshes the screenshots that exist. To add one, create an empty file of its name first. */
const screenshots = path.resolve(__dirname, '../../../../docs/screenshots');
const isWriting = process.env['UPDATE_SCREENSHOTS'] === '1';
const settleMs = 700;

const themes = ['light', 'dark'] as const;
/** The rules of axe that read colors. The themes differ in nothing else, so that dark need not be checked by the others. */
const colorRules = ['color-contrast', 'link-in-text-block'];
export const wide = { width: 1_440, height: 900 };
export const narrow = { width: 900, height: 1_000 };
export const phone = { width: 390, height: 844 };
/** A window of 1280 by 800 px at 200 % zoom. */
const zoomed = { width: 640, height: 400 };
const otherWindows = [zoomed, ...[1_080, 1_280, 1_920].map((width) => ({ width, height: 900 }))];

/** Lists axe findings in both themes in three windows, and the overflow in px in these and others. */
export async function inspectPage(page: Page, name: string): Promise<string[]> {
  const problems: string[] = [];
  const measure = async (window: typeof wide) => {
    const wideParts = await listWideParts(page, window);
    problems.push(...wideParts.map((part) => `${window.width} px: ${part}`));
  };
  for (const window of [phone, narrow, wide]) {
    await measure(window);
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme });
      if (window === wide) await takePicture(page, `${name}-${theme}`);
      const findings = await findA11yProblems(page, theme === 'dark' ? colorRules : undefined);
      problems.push(...findings.map((finding) => `${window.width} px, ${theme}: ${finding}`));
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  for (const window of otherWindows) await measure(window);
  await page.setViewportSize(wide);
  return problems;
}

async function takePicture(page: Page, name: string): Promise<void> {
  const file = path.join(screenshots, `dashboard-${name}.webp`);
  if (!isWriting || !existsSync(file)) return;
  await page.waitForTimeout(settleMs);
  const browser = await page.context().newCDPSession(page);
  const { data } = await browser.send('Page.captureScreenshot', { format: 'webp', quality: 82 });
  await browser.detach();
  writeFileSync(file, Buffer.from(data, 'base64'));
}

/** The used members of an element. The tests are compiled without the types of a browser. */
type Part = {
  tagName: string;
  className: string;
  outerHTML: string;
  parentElement: Part | null;
  scrollWidth: number;
  clientWidth: number;
  closest(selector: string): Part | null;
  querySelectorAll(selector: string): Iterable<Part>;
  getBoundingClientRect(): { left: number; right: number };
};

/** Parts that have to be scrolled sideways: the page itself, and any part in it except code and content of messages. */
async function listWideParts(page: Page, window: { width: number; height: number }) {
  await page.setViewportSize(window);
  return page.locator('html, body *').evaluateAll((elements) => {
    const { getComputedStyle } = globalThis as unknown as {
      getComputedStyle(part: Part): { overflowX: string };
    };
    const isWide = (part: Part) =>
      (part.tagName === 'HTML' || /auto|scroll/.test(getComputedStyle(part).overflowX)) &&
      part.scrollWidth > part.clientWidth + 1 &&
      !part.closest('pre, .cm-editor, figure');
    const isClipped = (each: Part, part: Part): boolean => {
      const parent = each.parentElement;
      if (!parent || parent === part) return false;
      return getComputedStyle(parent).overflowX !== 'visible' || isClipped(parent, part);
    };
    return (elements as unknown as Part[]).filter(isWide).map((part) => {
      const limit = part.getBoundingClientRect().left + part.clientWidth;
      const inside = [...part.querySelectorAll('*')].filter((each) => !isClipped(each, part));
      const reaching = inside.filter((each) => each.getBoundingClientRect().right > limit + 1);
      const cause = reaching.at(-1)?.outerHTML.slice(0, 200);
      return `${part.tagName}.${part.className}: ${part.scrollWidth} in ${part.clientWidth} px, by ${cause}`;
    });
  });
}

/** A text of an axis, with its left, top, right and bottom in px. */
type AxisText = [text: string, ...box: [number, number, number, number]];

/** Pairs of texts that cover each other, on the axes of charts and of a request's timeline. */
export async function listOverlappingLabels(page: Page): Promise<string[]> {
  const labels = page.locator('[class*="_axis_"], [class*="_plot_"]').locator('span:not(:has(*))');
  const texts = await labels.evaluateAll((elements) => {
    const { document } = globalThis as unknown as {
      document: {
        createRange(): {
          selectNodeContents(element: unknown): void;
          getBoundingClientRect(): Record<'left' | 'top' | 'right' | 'bottom', number>;
        };
      };
    };
    return elements.map((element): AxisText => {
      // Its text can be wider than the element itself.
      const range = document.createRange();
      range.selectNodeContents(element);
      const { left, top, right, bottom } = range.getBoundingClientRect();
      return [String(element.textContent), left, top, right, bottom];
    });
  });
  const visible = texts.filter(([, left, , right]) => right > left);
  if (visible.length === 0) return ['no label is visible'];
  return visible.flatMap((text, index) =>
    visible
      .slice(index + 1)
      .filter((other) => isCovered(text, other))
      .map((other) => `${text[0]} / ${other[0]}`),
  );
}

function isCovered([, left, top, right, bottom]: AxisText, other: AxisText): boolean {
  const [, otherLeft, otherTop, otherRight, otherBottom] = other;
  return left < otherRight && otherLeft < right && top < otherBottom && otherTop < bottom;
}

import { eventually } from '@belfry/testing';
import type { Locator, Page } from 'playwright-core';

const maxTabs = 120;

/** Presses Tab, or Shift+Tab, until the element has the focus. Each focus on the way must be visible. */
export async function tabTo(element: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const page = element.page();
  await element.waitFor();
  for (let count = 0; count < maxTabs; count += 1) {
    if (await hasFocus(element)) return;
    await page.keyboard.press(key);
    await expectVisibleFocus(page);
  }
  throw new Error(`${key} does not reach ${element}`);
}

/** Waits until the element has the focus by itself, which must be visible. */
export async function expectFocus(element: Locator): Promise<void> {
  const page = element.page();
  await element.and(page.locator(':focus')).waitFor();
  await expectVisibleFocus(page);
}

/** Moves the focus to a button or link, and presses Enter. */
export async function pressEnterOn(element: Locator, key?: 'Tab' | 'Shift+Tab'): Promise<void> {
  await tabTo(element, key);
  await element.page().keyboard.press('Enter');
}

function hasFocus(element: Locator): Promise<boolean> {
  return element.evaluate((node) => node === node.ownerDocument.activeElement);
}

async function expectVisibleFocus(page: Page): Promise<void> {
  // The editor draws its ring a moment after it got the focus.
  await eventually(async () => expect(await page.evaluate(findHiddenFocus)).toBe(''));
}

/** The used members of an element and of the page. The tests are compiled without the types of a browser. */
type Part = {
  tagName: string;
  outerHTML: string;
  parentElement: Part | null;
  contains(part: Part | null): boolean;
  getBoundingClientRect(): Record<'top' | 'bottom' | 'left' | 'right' | 'width' | 'height', number>;
};
type BrowserPage = {
  innerWidth: number;
  innerHeight: number;
  document: { activeElement: Part; elementFromPoint(x: number, y: number): Part | null };
  getComputedStyle(
    part: Part,
    pseudo?: string,
  ): Record<'outlineStyle' | 'outlineWidth' | 'boxShadow' | 'content', string>;
};

/** Runs in the page: what is wrong with the focus. The page itself may have it, which shows no ring. */
function findHiddenFocus(): string {
  const { innerWidth, innerHeight, document, getComputedStyle } =
    globalThis as unknown as BrowserPage;
  const element = document.activeElement;
  if (['BODY', 'MAIN', 'IFRAME'].includes(element.tagName)) return '';
  const hasOutline = (part: Part, pseudo?: string) => {
    const style = getComputedStyle(part, pseudo);
    return style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) > 0;
  };
  // The ring of a field can be around its label, and that of a row's link around the row.
  const hasRing = (part: Part | null, levels: number): boolean => {
    if (!part || levels === 0) return false;
    const after = getComputedStyle(part, '::after');
    const hasShadow = after.content !== 'none' && after.boxShadow !== 'none';
    return (
      hasOutline(part) ||
      hasOutline(part, '::after') ||
      hasShadow ||
      hasRing(part.parentElement, levels - 1)
    );
  };
  const { top, bottom, left, right, width, height } = element.getBoundingClientRect();
  const isInside = top >= 0 && left >= 0 && bottom <= innerHeight + 1 && right <= innerWidth + 1;
  const isLarge = height > innerHeight / 2 && top < innerHeight && bottom > 0;
  const hit = document.elementFromPoint(left + width / 2, top + height / 2);
  const isCovered = !isLarge && !(hit && (element.contains(hit) || hit.contains(element)));
  const faults = [
    width * height === 0 && 'has no size',
    !isInside && !isLarge && 'is outside of the window',
    isCovered && `is covered by ${hit?.outerHTML.slice(0, 100)}`,
    !hasRing(element, 5) && 'has no outline',
  ].filter(Boolean);
  return faults.map((fault) => `${element.outerHTML.slice(0, 200)} ${fault}`).join('\n');
}

import { useEffect, useRef } from 'react';

export type Keys = Record<string, (event: KeyboardEvent) => void>;

/** The help dialog lists these after the keys of the pages. */
export const keyHelp: readonly (readonly [string, string])[] = [
  ['⌘K or Ctrl K', 'Find or jump'],
  ['/', 'Find in the list'],
  ['j k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['Esc', 'Close and return to the row'],
  ['[ ]', 'Previous and next channel'],
  ['Space', 'Pause or resume the live tail'],
  ['n', 'Show new rows'],
  ['r', 'Resend'],
  ['c', 'Copy as curl'],
  ['t', 'Test send'],
  ['⌘S or Ctrl S', 'Save draft'],
  ['?', 'Show keyboard shortcuts'],
];

/** Focuses the search field of the list that is shown. */
export function focusFinder(): void {
  document.querySelector<HTMLElement>('.finder input')?.focus();
}

const chordMs = 1_200;
const switchName = 'belfry-single-keys';

export const areSingleKeysOn = () => localStorage.getItem(switchName) !== 'off';
export const setSingleKeys = (isOn: boolean) =>
  localStorage.setItem(switchName, isOn ? 'on' : 'off');

/**
 * Binds `mod+k`, `g l` or `Escape`. Single keys are off inside fields and dialogs, and can be disabled. A fallback
 * runs after all other bindings, regardless of order.
 */
export function useKeys(keys: Keys, { isFallback = false } = {}) {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    const press = createPress(() => current.current);
    const onKeyDown = (event: Event) => event instanceof KeyboardEvent && press(event);
    // Key events reach the document first, then the window.
    const place: EventTarget = isFallback ? window : document;
    place.addEventListener('keydown', onKeyDown);
    return () => place.removeEventListener('keydown', onKeyDown);
  }, [isFallback]);
}

/** Runs the binding of a key, or of a sequence with the previous key. */
function createPress(readKeys: () => Keys): (event: KeyboardEvent) => void {
  let first: { key: string; at: number } | undefined;
  return function press(event) {
    const name = formatKey(event);
    if (isForOthers(event, name)) return;
    const isSecond = first !== undefined && event.timeStamp - first.at < chordMs;
    const bound = find(readKeys(), isSecond ? first?.key : undefined, name);
    first = { key: name, at: event.timeStamp };
    if (!bound) return;
    event.preventDefault();
    bound(event);
  };
}

function find(keys: Keys, first: string | undefined, second: string) {
  return (first === undefined ? undefined : keys[`${first} ${second}`]) ?? keys[second];
}

function formatKey({ key, metaKey, ctrlKey, altKey }: KeyboardEvent): string {
  if (altKey) return `alt+${key}`;
  return metaKey || ctrlKey ? `mod+${key.toLowerCase()}` : key;
}

function isForOthers(event: KeyboardEvent, name: string): boolean {
  return event.defaultPrevented || (!name.startsWith('mod+') && isTyping(event));
}

function isTyping({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest('[role="dialog"]')) return true;
  if (target.closest('input, select, textarea, [contenteditable="true"], .cm-editor')) return true;
  // Space and Enter belong to the focused element.
  if ((key === ' ' || key === 'Enter') && target.closest('button, a, summary')) return true;
  return key !== 'Escape' && !areSingleKeysOn();
}

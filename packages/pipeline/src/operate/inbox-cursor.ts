import { hash } from 'node:crypto';
import type { InboxAddress, InboxPosition } from './inbox-item.sql';
import type { InboxProgress } from './inbox-pages.sql';

/**
 * Cursors of pages and IDs of stream events are opaque to readers. They contain a tag of the reader, so that a cursor of
 * another reader is noticed. They need no signature: a reader who makes one up reads the own inbox.
 */
const tagCharacters = 10;

function buildTag({ appId, userId }: InboxAddress): string {
  return hash('sha256', `${appId}/${userId}`, 'base64url').slice(0, tagCharacters);
}

const base = 36;
const cursorForm = /^([0-9a-z]{1,11})\.([0-9a-f]{32})\.([\w-]{10})$/;
const eventIdForm = /^([0-9a-z]{1,11})\.([0-9a-z]{1,11})\.([0-9a-z]{1,8})\.([\w-]{10})$/;

export function formatCursor(address: InboxAddress, { arrived, id }: InboxPosition): string {
  return `${arrived.toString(base)}.${id.replaceAll('-', '')}.${buildTag(address)}`;
}

/** Undefined for a text that is no cursor of this reader. */
export function parseCursor(address: InboxAddress, text: string): InboxPosition | undefined {
  const [, number = '', hex = '', tag] = cursorForm.exec(text) ?? [];
  const arrived = Number.parseInt(number, base);
  if (tag !== buildTag(address) || !Number.isSafeInteger(arrived)) return undefined;
  return { arrived, id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') };
}

/** The ID of an event after which the reader has this much. */
export function formatEventId(
  address: InboxAddress,
  { arrived, changed }: InboxProgress,
  nowMs: number,
): string {
  const numbers = [arrived, changed, Math.floor(nowMs / 1_000)];
  return `${numbers.map((number) => number.toString(base)).join('.')}.${buildTag(address)}`;
}

/** An older event ID is not resumed from. */
const maxAgeMs = 24 * 60 * 60_000;

/** Undefined for an ID that is too old or not of this reader. */
export function parseEventId(
  address: InboxAddress,
  text: string,
  nowMs: number,
): InboxProgress | undefined {
  const [, ...parts] = eventIdForm.exec(text) ?? [];
  const [arrived = 0, changed = 0, seconds = 0] = parts.map((part) => Number.parseInt(part, base));
  const isOwn = parts.at(-1) === buildTag(address);
  const isSafe = Number.isSafeInteger(arrived) && Number.isSafeInteger(changed);
  return isOwn && isSafe && nowMs - seconds * 1_000 <= maxAgeMs ? { arrived, changed } : undefined;
}

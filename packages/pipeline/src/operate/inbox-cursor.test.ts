import { newId } from '@belfry/runtime';
import { formatCursor, formatEventId, parseCursor, parseEventId } from './inbox-cursor';
import { firstPosition, lastPosition } from './inbox-item.sql';

const reader = { appId: newId(), userId: 'ana' };
const otherUser = { ...reader, userId: 'ben' };
const otherApp = { ...reader, appId: newId() };
const nowMs = Date.now();
const dayMs = 24 * 60 * 60_000;

test('a cursor leads to its position again, for its reader only', () => {
  for (const position of [firstPosition, { arrived: nowMs, id: newId() }, lastPosition]) {
    const cursor = formatCursor(reader, position);
    expect(parseCursor(reader, cursor)).toEqual(position);
    expect(parseCursor(otherUser, cursor)).toBeUndefined();
    expect(parseCursor(otherApp, cursor)).toBeUndefined();
  }
});

test('an event ID leads to its progress again, for its reader and 24 hours only', () => {
  const progress = { arrived: nowMs, changed: nowMs + 7 };
  const id = formatEventId(reader, progress, nowMs);
  expect(parseEventId(reader, id, nowMs)).toEqual(progress);
  expect(parseEventId(reader, id, nowMs + dayMs - 1_000)).toEqual(progress);
  expect(parseEventId(reader, id, nowMs + dayMs + 1_000)).toBeUndefined();
  expect(parseEventId(otherUser, id, nowMs)).toBeUndefined();
  expect(parseEventId(otherApp, id, nowMs)).toBeUndefined();
});

test('neither names the user', () => {
  expect(formatCursor(reader, firstPosition)).not.toContain('ana');
  expect(formatEventId(reader, { arrived: 1, changed: 1 }, nowMs)).not.toContain('ana');
});

const tag = formatCursor(reader, firstPosition).split('.').at(-1);

test.each([
  '',
  'x',
  '...',
  `zzzzzzzzzzz.${'0'.repeat(32)}.${tag}`,
  `1.2.3.${tag} `,
  'a'.repeat(9_999),
])('%j is neither', (text) => {
  expect(parseCursor(reader, text)).toBeUndefined();
  expect(parseEventId(reader, text, nowMs)).toBeUndefined();
});

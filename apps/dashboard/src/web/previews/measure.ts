import { bytes, count, plural } from '../format';
import { type Fields, getNumber, getText, toFieldsList } from './content';

/** The key figure of a channel for its caption. */
export function formatMeasure(channel: string, fields: Fields, notes: Fields): string {
  return measures[channel]?.(fields, notes) ?? '';
}

type Measure = (fields: Fields, notes: Fields) => string;

const clipBytes = 102 * 1_024;
const pushBytes = 4_096;
const maxBlocks = 50;

const measures: Record<string, Measure> = {
  sms: (fields, notes) => {
    const segments = getNumber(notes, 'segments');
    const text = getText(fields, 'text');
    if (segments === undefined) return plural(text.length, 'character');
    const { used, capacity } = measureSms(text, segments, getText(notes, 'encoding'));
    return `${plural(segments, 'segment')}, ${getText(notes, 'encoding')}, ${used} of ${capacity}`;
  },
  email: (fields) => {
    const size = countBytes(getText(fields, 'html', 'text'));
    return size > clipBytes ? `${bytes(size)}, Gmail cuts at 102 KB` : bytes(size);
  },
  whatsapp: (fields) => {
    const template = getText(fields, 'name', 'contentSid');
    return template ? `template ${template}` : plural(getText(fields, 'text').length, 'character');
  },
  slack: (fields) => {
    const blocks = toFieldsList(fields['blocks']).length;
    return blocks === 0 ? 'text' : `${plural(blocks, 'block')} of ${maxBlocks}`;
  },
  telegram: () => 'HTML',
  push: (fields, notes) =>
    `${count(getNumber(notes, 'bytes') ?? countJsonBytes(fields))} of ${count(pushBytes)} bytes`,
  onesignal: (fields) => `${count(countJsonBytes(fields))} of ${count(pushBytes)} bytes`,
  in_app: () => 'unread',
};

function countBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

function countJsonBytes(fields: Fields): number {
  return countBytes(JSON.stringify(fields));
}

/** GSM-7 septets, where some characters take two; otherwise UTF-16 units. Multiple segments each lose a header. */
export function measureSms(
  text: string,
  segments: number,
  encoding: string,
): { used: number; capacity: number } {
  const isGsm = encoding === 'GSM-7';
  const [one, many] = isGsm ? [160, 153] : [70, 67];
  const used = isGsm ? text.length + (text.match(/[\^{}\\[~\]|€\f]/g)?.length ?? 0) : text.length;
  return { used, capacity: segments <= 1 ? one : segments * many };
}

/** The character that requires Unicode, from a note such as `“ (U+201C)`. */
export function findUnicodeCause(notes: Fields): { character: string; name: string } | undefined {
  const [, character = '', name = ''] =
    /^([^(]+|\([^(]*) \((U\+[^)]+)\)$/.exec(getText(notes, 'unicode_because_of')) ?? [];
  return character ? { character, name } : undefined;
}

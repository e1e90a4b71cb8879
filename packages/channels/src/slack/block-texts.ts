import { escapeAngle, isBlank, type Json } from '@belfry/shared';
import type { Block } from './blocks';
import { toPlainText } from './markdown';

type Text = { text: string; isMarkup: boolean };

/** The visible texts, in order. */
export function listTexts(value: Json): Text[] {
  if (Array.isArray(value)) return value.flatMap(listTexts);
  if (typeof value !== 'object' || value === null) return [];
  const { text, type, alt_text } = value;
  return [
    ...(typeof text === 'string' ? [readText(text, type)] : []),
    ...(typeof alt_text === 'string' ? [{ text: alt_text, isMarkup: false }] : []),
    ...Object.values(value).flatMap((member) =>
      typeof member === 'object' ? listTexts(member) : [],
    ),
  ];
}

function readText(text: string, type: Json | undefined): Text {
  if (type === 'markdown') return { text: toPlainText(text), isMarkup: false };
  return { text, isMarkup: type === 'mrkdwn' };
}

/** The maximum that Slack recommends for a notification. */
const maxDerivedCharacters = 3_000;

/** The text for notifications and screen readers, when the template has only blocks. */
export function formatBlocks(blocks: readonly Block[]): string {
  const texts = blocks
    .flatMap((block) => listTexts(block))
    // The notification is markup, so plain text of a block must be escaped here.
    .map(({ text, isMarkup }) => (isMarkup ? text : escapeAngle(text)).trim())
    .filter((text) => !isBlank(text));
  return cut(texts.join('\n'), maxDerivedCharacters);
}

/** Cuts without leaving a link, entity or surrogate pair open. */
function cut(text: string, characters: number): string {
  if (text.length <= characters) return text;
  return text
    .slice(0, characters - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .replace(/&[a-z]{0,4}$/, '')
    .replace(/<[^<>]*$/, '')
    .concat('…');
}

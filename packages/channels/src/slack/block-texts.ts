import { escapeAngle, type Json } from '@belfry/shared';
import type { Block } from './blocks';
import { textOfMarkdown } from './markdown';

/** Slack's limits; `total` is where it has been seen to refuse, and is not in its documentation. */
export const slackLimits = {
  textCharacters: 40_000,
  blocks: 50,
  sectionCharacters: 3_000,
  fields: 10,
  fieldCharacters: 2_000,
  headerCharacters: 150,
  buttonCharacters: 75,
  totalCharacters: 12_000,
} as const;

/** The first limit that the blocks break, in words. */
export function findBrokenLimit(blocks: readonly Block[]): string | undefined {
  if (blocks.length > slackLimits.blocks) {
    return `${blocks.length} blocks; the limit is ${slackLimits.blocks}.`;
  }
  const broken = blocks.map(brokenLimitOf).find((problem) => problem !== undefined);
  if (broken) return broken;
  const total = blocks
    .flatMap((block) => listTexts(block))
    .reduce((sum, { text }) => sum + text.length, 0);
  return tooLong('All blocks together', total, slackLimits.totalCharacters);
}

function brokenLimitOf(block: Block, index: number): string | undefined {
  const name = `blocks[${index}]`;
  const { type, text, fields, elements } = block;
  const length = textOf(text).length;
  if (type === 'header') return tooLong(name, length, slackLimits.headerCharacters);
  if (type === 'actions' && Array.isArray(elements)) {
    const longest = Math.max(
      0,
      ...elements.map((element) => textOf(membersOf(element)['text']).length),
    );
    return tooLong(`A button of ${name}`, longest, slackLimits.buttonCharacters);
  }
  if (type !== 'section') return undefined;
  const list = Array.isArray(fields) ? fields : [];
  if (list.length > slackLimits.fields) {
    return `${name} has ${list.length} fields; the limit is ${slackLimits.fields}.`;
  }
  const longest = Math.max(0, ...list.map((field) => textOf(field).length));
  return (
    tooLong(name, length, slackLimits.sectionCharacters) ??
    tooLong(`A field of ${name}`, longest, slackLimits.fieldCharacters)
  );
}

export function tooLong(name: string, characters: number, limit: number): string | undefined {
  return characters > limit
    ? `${name}: ${characters} characters; the limit is ${limit}.`
    : undefined;
}

/** Slack refuses a message for a section, header or field without text; a value that is missing must not cost the rest. */
export function dropEmptyBlocks(blocks: readonly Block[]): Block[] {
  return blocks.map(dropEmptyFields).filter((block) => !isEmpty(block));
}

function dropEmptyFields(block: Block): Block {
  const { fields, ...rest } = block;
  if (!Array.isArray(fields)) return block;
  const kept = fields.filter((field) => textOf(field).trim() !== '');
  return kept.length > 0 ? { ...rest, fields: kept } : rest;
}

function isEmpty({ type, text, fields }: Block): boolean {
  if (type !== 'section' && type !== 'header' && type !== 'markdown') return false;
  return fields === undefined && textOf(text).trim() === '';
}

function membersOf(value: Json): Block {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** The text of a text object, or of a block that holds it directly. */
function textOf(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return '';
  return typeof value['text'] === 'string' ? value['text'] : '';
}

type Text = { text: string; isMarkup: boolean };

/** The texts that a person reads, in order. */
function listTexts(value: Json): Text[] {
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
  if (type === 'markdown') return { text: textOfMarkdown(text), isMarkup: false };
  return { text, isMarkup: type === 'mrkdwn' };
}

/** What Slack advises at most for a notification. */
const maxDerivedCharacters = 3_000;

/** The text for notifications and readers of the screen, where only blocks were written. */
export function textOfBlocks(blocks: readonly Block[]): string {
  const texts = blocks
    .flatMap((block) => listTexts(block))
    // The notification is markup, so what was plain in its block must not become markup here.
    .map(({ text, isMarkup }) => (isMarkup ? text : escapeAngle(text)).trim())
    .filter((text) => text !== '');
  return cut(texts.join('\n'), maxDerivedCharacters);
}

/** Cut so that no link, entity or surrogate pair is left open. */
function cut(text: string, characters: number): string {
  if (text.length <= characters) return text;
  return text
    .slice(0, characters - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .replace(/&[a-z]{0,4}$/, '')
    .replace(/<[^<>]*$/, '')
    .concat('…');
}

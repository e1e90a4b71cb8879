import { escapeNothing, type Json, TemplateError } from '@belfry/shared';
import type { Escape, Field, ParseField, Rendering } from '../rendering';
import { dropEmptyMarkdownLinks, escapeMarkdown } from './markdown';
import { createMrkdwnEscape, dropEmptyLinks } from './mrkdwn';

export type Block = { [key: string]: Json };

/** Block Kit with its values still missing. */
export type BlocksTemplate = { fields: Field[]; render(rendering: Rendering): Block[] };

const maxBlocksSourceCharacters = 64 * 1024;
const maxDepth = 32;

/**
 * Parses Block Kit before any value is inserted, and each text in it as its own template. A value
 * stays inside its text, whatever it contains.
 */
export function parseBlocksTemplate(source: string, parseField: ParseField): BlocksTemplate {
  const blocks = readBlocks(source);
  if ('problem' in blocks) throw blocks.problem;
  const fields: Field[] = [];
  const parse: ParseField = (...field) => {
    const parsed = parseField(...field);
    fields.push(parsed);
    return parsed;
  };
  const renderers = blocks.map((block, index) => parseObject(block, `blocks[${index}]`, parse));
  return {
    fields,
    render: (rendering) => renderers.map((render) => render(rendering)),
  };
}

/** The blocks of a JSON text: a list, or an object with `blocks` as Slack's builder writes it. */
export function readBlocks(source: string): Block[] | { problem: TemplateError } {
  if (source.length > maxBlocksSourceCharacters) {
    return {
      problem: createTemplateError(`is longer than ${maxBlocksSourceCharacters} characters`),
    };
  }
  if (measureDepth(source) > maxDepth) {
    return { problem: createTemplateError(`is nested more than ${maxDepth} levels deep`) };
  }
  let parsed: Json;
  try {
    parsed = JSON.parse(source);
  } catch (error) {
    return { problem: locate(source, error) };
  }
  return toBlocks(parsed);
}

/** The blocks of parsed JSON: the forms that `readBlocks` accepts, or a single block. */
export function toBlocks(parsed: Json): Block[] | { problem: TemplateError } {
  if (isObject(parsed) && typeof parsed['type'] === 'string') return [parsed];
  return (
    toBlockList(parsed) ?? {
      problem: createTemplateError(
        'must be a list of blocks, or an object with a list in `blocks`',
      ),
    }
  );
}

/** Counted before parsing, so that no recursion over the blocks can overflow the stack. */
function measureDepth(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of source.replace(/"(?:[^"\\]|\\.)*(?:"|\\?$)/gs, '')) {
    if (character === '[' || character === '{') depth += 1;
    if (character === ']' || character === '}') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

function toBlockList(parsed: Json): Block[] | undefined {
  const list = isObject(parsed) ? parsed['blocks'] : parsed;
  if (!Array.isArray(list)) return undefined;
  const blocks = list.filter(isObject);
  return blocks.length === list.length ? blocks : undefined;
}

function isObject(value: Json | undefined): value is Block {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Render<Rendered> = (rendering: Rendering) => Rendered;

function parseObject(object: Block, path: string, parse: ParseField): Render<Block> {
  const members = Object.entries(object).map(([name, value]) => {
    const memberPath = `${path}.${name}`;
    const isText = typeof value === 'string';
    const render = isText
      ? parseText(value, memberPath, findMarkup(object, name), parse)
      : parseValue(value, memberPath, parse);
    return [name, render] as const;
  });
  return (rendering) =>
    Object.fromEntries(members.map(([name, render]) => [name, render(rendering)]));
}

function parseValue(value: Json, path: string, parse: ParseField): Render<Json> {
  if (typeof value === 'string') return parseText(value, path, plain, parse);
  if (Array.isArray(value)) {
    const items = value.map((item, index) => parseValue(item, `${path}[${index}]`, parse));
    return (rendering) => items.map((render) => render(rendering));
  }
  if (isObject(value)) return parseObject(value, path, parse);
  return () => value;
}

function parseText(
  source: string,
  path: string,
  { createEscape, finish }: Markup,
  parse: ParseField,
): Render<string> {
  if (!source.includes('{{')) return () => source;
  const field = parse(path, source, createEscape);
  return (rendering) => finish(rendering.text(field));
}

/** How values in a text are escaped, and what is done after they are inserted. */
type Markup = {
  createEscape: (template: Field['template']) => Escape;
  finish: (rendered: string) => string;
};

const plain: Markup = { createEscape: () => escapeNothing, finish: (rendered) => rendered };
const mrkdwn: Markup = { createEscape: createMrkdwnEscape, finish: dropEmptyLinks };
const markdown: Markup = { createEscape: () => escapeMarkdown, finish: dropEmptyMarkdownLinks };

/** The markup of an object's `text`, by the object's type; any other text is plain. */
const markups = new Map<Json | undefined, Markup>([
  ['mrkdwn', mrkdwn],
  ['markdown', markdown],
  ['plain_text', plain],
  ['text', plain],
  ['link', plain],
]);

function findMarkup(object: Block, name: string): Markup {
  return name === 'text' ? (markups.get(object['type']) ?? mrkdwn) : plain;
}

function createTemplateError(problem: string): TemplateError {
  return new TemplateError(`blocks: ${problem}`, { line: 1, column: 1 });
}

/** Node's error message may have the position; otherwise the first line is used. */
function locate(source: string, error: unknown): TemplateError {
  const message = error instanceof Error ? error.message : '';
  const position = Number(/position (\d+)/.exec(message)?.[1] ?? 0);
  const before = source.slice(0, position).split('\n');
  return new TemplateError('blocks: not JSON. Placeholders belong inside the quotes of a text.', {
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
  });
}

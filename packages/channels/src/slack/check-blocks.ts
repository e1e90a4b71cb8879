import { isBlank, type Json } from '@belfry/shared';
import { checkSize, type Failed } from '../rendering';
import { blockKit, identifiers, type Member, maxBlocks, type Rule } from './block-kit';
import { listTexts } from './block-texts';
import type { Block } from './blocks';
import { isEmptyAddress } from './mrkdwn';

/** The blocks without empty parts, and the first problem for which Slack would refuse them. */
export type CheckedBlocks = { blocks: Block[]; problem: Failed | undefined };

type Check = {
  /**
   * Whether values will complete the text at this path. Undefined when the values are already in
   * it.
   */
  isOpen: ((path: string) => boolean) | undefined;
  fail(failed: Failed['failed'], detail: string): void;
};

/** A limit on all blocks together that Slack enforces but does not document. */
const maxTotalCharacters = 12_000;

/**
 * Checks blocks against Block Kit's limits and required members, and leaves out empty parts when
 * Slack accepts the rest. With `isOpen` it checks a template without values: open texts do not
 * count as empty, and a part that every message would leave out is a problem.
 */
export function checkBlocks(rawBlocks: readonly Block[], isOpen?: Check['isOpen']): CheckedBlocks {
  let problem: Failed | undefined;
  const check: Check = {
    isOpen,
    fail(failed, detail) {
      problem ??= { failed, detail };
    },
  };
  const blocks = rawBlocks
    .map((block, index) => cleanObject(block, findRule(block['type']), `blocks[${index}]`, check))
    .filter((block) => block !== undefined)
    .filter((block) => isOpen !== undefined || !isBlankRichText(block));
  checkSize({ name: 'blocks', size: blocks.length, limit: maxBlocks, unit: 'items' }, check);
  const size = blocks.flatMap(listTexts).reduce((sum, { text }) => sum + text.length, 0);
  checkSize({ name: 'All blocks together', size, limit: maxTotalCharacters }, check);
  return { blocks, problem };
}

/** The object without empty members; undefined when it is left out. */
function cleanObject(
  object: Block,
  rule: Rule | undefined,
  path: string,
  check: Check,
): Block | undefined {
  if (!rule) return object;
  const members = Object.entries(object).flatMap(([name, value]): [string, Json][] => {
    const member = findOwn(rule.members, name) ?? findOwn(identifiers, name);
    const clean = member ? cleanMember(value, member, `${path}.${name}`, check) : value;
    return clean === undefined ? [] : [[name, clean]];
  });
  return handleMissing(Object.fromEntries(members), rule, path, check);
}

function handleMissing(
  block: Block,
  rule: Rule,
  path: string,
  { isOpen, fail }: Check,
): Block | undefined {
  const missing = listMissing(block, rule);
  const [first] = missing;
  if (!first) return block;
  const isLeftOut = missing.some(({ whenEmpty }) => whenEmpty === 'leave out');
  if (isLeftOut && rule.becomesText && block['text']) return { ...block, type: 'text' };
  const mustStay = isOpen !== undefined || Object.hasOwn(block, rule.mustStayWith ?? '');
  if (isLeftOut && !mustStay) return undefined;
  fail('rejected_content', `${path}.${first.name}: must not be empty.`);
  return block;
}

function cleanMember(value: Json, member: Member, path: string, check: Check): Json | undefined {
  switch (member.kind) {
    case 'text':
      return cleanText(value, member, path, check);
    case 'url':
      return cleanUrl(value, member, path, check);
    case 'list':
      return cleanList(value, member, path, check);
    case 'object': {
      if (!isObject(value)) return value;
      const instead = member.instead?.[String(value['type'])];
      return cleanObject(value, findRule(instead ?? member.rule ?? value['type']), path, check);
    }
  }
}

type Kind<Name extends Member['kind']> = Extract<Member, { kind: Name }>;

function cleanText(
  value: Json,
  { max: limit, keepsSpaces }: Kind<'text'>,
  path: string,
  check: Check,
): Json | undefined {
  const [text, name] = isObject(value) ? [value['text'], `${path}.text`] : [value, path];
  if (typeof text !== 'string') return value;
  checkSize({ name, size: text.length, limit }, check);
  if (check.isOpen?.(name)) return value;
  return (keepsSpaces ? text === '' : isBlank(text)) ? undefined : value;
}

function cleanUrl(
  value: Json,
  { max: limit, whenEmpty }: Kind<'url'>,
  name: string,
  check: Check,
): Json | undefined {
  if (typeof value !== 'string') return value;
  checkSize({ name, size: value.length, limit }, check);
  if (check.isOpen?.(name)) return value;
  const isEmpty = isEmptyAddress(value);
  if (isEmpty && whenEmpty === 'leave out') return undefined;
  if (isEmpty || !URL.canParse(value)) {
    check.fail('rejected_content', `${name}: must be a complete URL, such as https://example.com.`);
  }
  return value;
}

function cleanList(
  value: Json,
  { max: limit, item: member }: Kind<'list'>,
  name: string,
  check: Check,
): Json | undefined {
  if (!Array.isArray(value)) return value;
  const items = value.flatMap((item, index) => {
    const clean = cleanMember(item, member, `${name}[${index}]`, check);
    if (clean !== undefined) return [clean];
    if (check.isOpen) check.fail('rejected_content', `${name}[${index}]: must not be empty.`);
    return [];
  });
  checkSize({ name, size: items.length, limit, unit: 'items' }, check);
  return items.length > 0 ? items : undefined;
}

type Missing = { name: string; whenEmpty: 'leave out' | 'fail' };

/** The required members that an object lacks. */
function listMissing(block: Block, { members, alternatives }: Rule): Missing[] {
  const needed = Object.entries(members).flatMap(([name, { whenEmpty }]) =>
    whenEmpty && !Object.hasOwn(block, name) ? [{ name, whenEmpty }] : [],
  );
  const [name] = alternatives?.names ?? [];
  const hasOne = alternatives?.names.some((each) => Object.hasOwn(block, each)) ?? true;
  return alternatives && name && !hasOne
    ? [...needed, { name, whenEmpty: alternatives.whenEmpty }]
    : needed;
}

function findRule(type: Json | undefined): Rule | undefined {
  return typeof type === 'string' ? findOwn(blockKit, type) : undefined;
}

function findOwn<Value>(table: Record<string, Value>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function isObject(value: Json | undefined): value is Block {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Rich text keeps the spaces between its elements, but a block with only spaces is blank. */
function isBlankRichText(block: Block): boolean {
  return block['type'] === 'rich_text' && listLeaves(block).every(isBlankText);
}

function isBlankText({ type, text }: Block): boolean {
  return type === 'text' && typeof text === 'string' && isBlank(text);
}

function listLeaves(element: Block): Block[] {
  const { elements } = element;
  return Array.isArray(elements) ? elements.filter(isObject).flatMap(listLeaves) : [element];
}

import {
  maxBlockLevels,
  maxBracketNames,
  maxNestedBranches,
  maxParenthesisLevels,
  maxSourceCharacters,
  maxTags,
  maxTemplateCharacters,
  maxTokens,
} from './limits';
import type { ParseBudget } from './parse-budget';
import { placeAt, TemplateError } from './template-error';

/**
 * Refuses in one pass what would take the parser long, what the language leaves out, and what is not closed.
 * Tags and tokens are split exactly as the parser splits them, so that nothing passes by as text.
 */
export function scanTemplate(source: string, budget: ParseBudget): void {
  if (source.length > maxSourceCharacters) {
    throw errorAt(source, 0, `The template is longer than ${maxSourceCharacters} characters.`);
  }
  budget.characters -= source.length;
  if (budget.characters < 0) {
    const problem = `All fields together have at most ${maxTemplateCharacters} characters.`;
    throw errorAt(source, 0, problem);
  }
  const zero = source.indexOf('\0');
  if (zero !== -1) throw errorAt(source, zero, 'Remove the character U+0000.');

  const scan: Scan = { source, budget, branches: 0, open: [] };
  let at = source.indexOf('{{');
  while (at !== -1) {
    countTag(scan, at);
    at = source.indexOf('{{', isEscaped(source, at) ? at + 2 : readTag(scan, at));
  }
  const unclosed = scan.open.at(-1);
  if (unclosed) {
    throw errorAt(source, unclosed.at, 'This block is never closed: end it with {{/…}}.');
  }
}

type Scan = {
  source: string;
  budget: ParseBudget;
  /** Of all open blocks together. */
  branches: number;
  open: OpenBlock[];
};

type OpenBlock = { at: number; branches: number; hasElse: boolean };

function countTag(scan: Scan, at: number): void {
  scan.budget.tags -= 1;
  if (scan.budget.tags < 0) {
    const problem = `A template has at most ${maxTags} tags in all its fields.`;
    throw errorAt(scan.source, at, problem);
  }
}

/** One backslash makes a tag literal text; two are a backslash before a tag. */
function isEscaped(source: string, at: number): boolean {
  return source[at - 1] === '\\' && source[at - 2] !== '\\';
}

/** Reads a tag from its braces on, and answers where it ends. */
function readTag(scan: Scan, at: number): number {
  const { source } = scan;
  const plainElse = matchAt(plainElsePattern, source, at);
  if (plainElse !== '') {
    countElse(scan, at, true);
    return at + plainElse.length;
  }
  const opener = matchAt(openerPattern, source, at);
  const sign = opener.replace(/^\{\{~?/, '');
  const refusal = refusedSigns.get(sign);
  if (refusal) throw errorAt(source, at, refusal);

  const inside = at + opener.length;
  if (sign === '!--') return endOf(scan, at, { pattern: longCommentEnd, from: inside - 2 });
  if (sign === '!') return endOf(scan, at, { pattern: commentEnd, from: inside });
  if (sign === '/') closeBlock(scan, at);
  else if (sign === '#' || sign === '^') openBlock(scan, at);
  else if (sign === '' && matchAt(elseIfPattern, source, inside)) countElse(scan, at, false);
  return readExpression(scan, at, inside);
}

const plainElsePattern = /\{\{~?(?:\^|\s*else)\s*~?\}\}/y;
const elseIfPattern = /\s*else\b/y;
const openerPattern = /\{\{(?:\{\{|~?(?:!--|!|#>|#\*|#|>|\/|\^|\{|&|\*)?)/y;
const longCommentEnd = /--~?\}\}/g;
const commentEnd = /\}\}/g;

const partials = 'Partials do not exist here: write the text itself in the template.';
const decorators = 'Decorators do not exist here: remove the *.';
const refusedSigns = new Map([
  [
    '{{',
    'Raw blocks do not exist here: to print braces, write a backslash before them, as in \\{{.',
  ],
  ['>', partials],
  ['#>', partials],
  ['*', decorators],
  ['#*', decorators],
]);

function endOf(
  scan: Scan,
  at: number,
  { pattern, from }: { pattern: RegExp; from: number },
): number {
  pattern.lastIndex = from;
  const end = pattern.exec(scan.source);
  if (!end) throw errorAt(scan.source, at, 'This comment is never closed: end it as it began.');
  return end.index + end[0].length;
}

function closeBlock(scan: Scan, at: number): void {
  const block = scan.open.pop();
  if (!block) throw errorAt(scan.source, at, 'This closes a block that is not open: remove it.');
  scan.branches -= block.branches;
}

function openBlock(scan: Scan, at: number): void {
  scan.open.push({ at, branches: 1, hasElse: false });
  if (scan.open.length > maxBlockLevels) {
    throw errorAt(scan.source, at, `Blocks nest at most ${maxBlockLevels} deep.`);
  }
  countBranch(scan, at);
}

function countElse(scan: Scan, at: number, isLast: boolean): void {
  const block = scan.open.at(-1);
  if (!block) throw errorAt(scan.source, at, 'An else belongs inside a block.');
  if (block.hasElse) throw errorAt(scan.source, at, 'A block has one else, and it comes last.');
  block.hasElse = isLast;
  block.branches += 1;
  countBranch(scan, at);
}

function countBranch(scan: Scan, at: number): void {
  scan.branches += 1;
  if (scan.branches > maxNestedBranches) {
    throw errorAt(scan.source, at, `Open blocks have at most ${maxNestedBranches} parts together.`);
  }
}

function readExpression(scan: Scan, openedAt: number, inside: number): number {
  const { source } = scan;
  let levels = 0;
  let at = inside;
  let token = matchAt(tokenPattern, source, at);
  while (token !== '' && !token.endsWith('}}')) {
    countToken(scan, at, token);
    levels += levelChanges.get(token) ?? 0;
    if (levels > maxParenthesisLevels) {
      throw errorAt(source, at, `Parentheses nest at most ${maxParenthesisLevels} deep.`);
    }
    at += token.length;
    token = matchAt(tokenPattern, source, at);
  }
  if (token === '') throw errorAt(source, openedAt, 'This tag is never closed: end it with }}.');
  return endOfTag(source, at, token);
}

const levelChanges = new Map([
  ['(', 1],
  [')', -1],
]);

const tokenPattern =
  /\s+|\}{4}|\}~?\}\}|~?\}\}|\[(?:\\\]|[^\]])*\]|"(?:\\"|[^"])*"|'(?:\\'|[^'])*'|[^\s!"#%-,./;->@[-^`{-~]+|[\s\S]/y;

function endOfTag(source: string, at: number, token: string): number {
  if (token.length === 4 && !token.includes('~')) {
    throw errorAt(
      source,
      at,
      'Four closing braces: put a space between the tag and the brace after it.',
    );
  }
  return at + token.length;
}

function countToken(scan: Scan, at: number, token: string): void {
  if (token.trim() === '') return;
  const refusal = refusedTokens.get(token);
  if (refusal) throw errorAt(scan.source, at, refusal);

  scan.budget.tokens -= 1;
  if (scan.budget.tokens < 0) {
    throw errorAt(scan.source, at, `Tags hold at most ${maxTokens} names and signs together.`);
  }
  if (token.startsWith('[')) scan.budget.bracketNames -= 1;
  if (scan.budget.bracketNames < 0) {
    const problem = `A template has at most ${maxBracketNames} names in square brackets.`;
    throw errorAt(scan.source, at, problem);
  }
}

const refusedTokens = new Map([
  ...[...'!#%&*+,;<>\\^`}~]'].map((sign): [string, string] => [
    sign,
    `${sign} means nothing inside a tag. A name that holds it stands in square brackets: [a name].`,
  ]),
  ['{', 'A tag cannot hold another: close the first one with }}.'],
  ['"', 'This quote is never closed: end it with ".'],
  ["'", "This quote is never closed: end it with '."],
  ['[]', 'Write a name between the square brackets.'],
  ['[', 'This square bracket is never closed: end it with ].'],
]);

function matchAt(pattern: RegExp, source: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0] ?? '';
}

function errorAt(source: string, offset: number, message: string): TemplateError {
  return new TemplateError(message, placeAt(source, offset));
}

import {
  maxBlockLevels,
  maxNestedBranches,
  maxSourceCharacters,
  maxTemplateCharacters,
} from './limits';
import type { ParseBudget } from './parse-budget';
import { createUnexpectedError, readArguments, readExpression, readName } from './parse-expression';
import type {
  LiteralValue,
  Strip,
  SyntaxBlock,
  SyntaxComment,
  SyntaxPrint,
  SyntaxStatement,
} from './syntax';
import { type Opener, readOpener, readText } from './tag-opener';
import { createErrorAtOffset, createReader, type Reader, readToken } from './tag-tokens';
import { createErrorAt, quote } from './template-error';
import { stripWhiteSpace } from './white-space';

/**
 * Parses a template in one pass and strips white space around tags as Handlebars does. Fails at the position that
 * exceeds a limit.
 */
export function parseSyntax(source: string, budget: ParseBudget): SyntaxStatement[] {
  const reader = createReader(source, budget);
  countCharacters(reader);
  const { statements, end } = readPart({ reader, blocks: 0, branches: 0 });
  if (end) throw createErrorAtOffset(reader, end.at, strayProblem(end));
  stripWhiteSpace(statements);
  return statements;
}

type Parser = {
  reader: Reader;
  /** Number of open blocks. */
  blocks: number;
  /** Number of branches of all open blocks. */
  branches: number;
};

/** Statements, and the tag that ends them; undefined at the end of the template. */
type Part = { statements: SyntaxStatement[]; end: Opener | undefined };

function countCharacters(reader: Reader): void {
  const { source, budget } = reader;
  if (source.length > maxSourceCharacters) {
    throw createErrorAtOffset(
      reader,
      0,
      `The template is longer than ${maxSourceCharacters} characters.`,
    );
  }
  budget.characters -= source.length;
  if (budget.characters < 0) {
    const problem = `All fields together can have at most ${maxTemplateCharacters} characters.`;
    throw createErrorAtOffset(reader, 0, problem);
  }
  const zero = source.indexOf('\0');
  if (zero !== -1) throw createErrorAtOffset(reader, zero, 'Remove the character U+0000.');
}

function strayProblem({ sign }: Opener): string {
  return sign === '/'
    ? 'This closes a block that is not open: remove it.'
    : 'An else must be inside a block.';
}

function readPart(parser: Parser): Part {
  const statements: SyntaxStatement[] = [];
  for (;;) {
    const hasTag = readText(parser.reader, statements);
    if (!hasTag) return { statements, end: undefined };
    const opener = readOpener(parser.reader);
    switch (opener.sign) {
      case '/':
      case 'else':
      case 'else if':
        return { statements, end: opener };
      case '#':
      case '^':
        statements.push(readBlock(parser, opener));
        break;
      case '!':
      case '!--':
        statements.push(readComment(parser.reader, opener));
        break;
      default:
        statements.push(readPrint(parser.reader, opener));
    }
  }
}

function readComment(
  reader: Reader,
  { sign, at, isStripped, line, column }: Opener,
): SyntaxComment {
  const pattern = sign === '!' ? commentEnd : longCommentEnd;
  // The dashes that start a comment may also end it.
  pattern.lastIndex = at + (isStripped ? 4 : 3);
  if (!pattern.test(reader.source)) {
    throw createErrorAtOffset(
      reader,
      at,
      'This comment is never closed: end it the way it starts.',
    );
  }
  reader.at = pattern.lastIndex;
  const strip = { open: isStripped, close: reader.source[reader.at - 3] === '~' };
  return { type: 'comment', strip, line, column };
}

const commentEnd = /\}\}/g;
const longCommentEnd = /--~?\}\}/g;

function readPrint(reader: Reader, { sign, isStripped, line, column }: Opener): SyntaxPrint {
  readToken(reader);
  const path = readExpression(reader);
  const { params, hash } = readArguments(reader);
  const strip = { open: isStripped, close: closeTag(reader, sign === '{' ? '}}}' : '}}') };
  return { type: 'print', path, params, hash, isRaw: sign !== '', strip, line, column };
}

/** Whether the end of the tag has a `~`. */
function closeTag(reader: Reader, end: '}}' | '}}}'): boolean {
  if (reader.token.kind !== end) throw createUnexpectedError(reader);
  return reader.token.text.at(-3) === '~';
}

function readBlock(parser: Parser, opener: Opener): SyntaxBlock {
  const { branches } = parser;
  parser.blocks += 1;
  if (parser.blocks > maxBlockLevels) {
    throw createErrorAtOffset(
      parser.reader,
      opener.at,
      `Blocks can nest at most ${maxBlockLevels} deep.`,
    );
  }
  const block = openBlock(parser, opener);
  const closeStrip = closeBlock(parser.reader, block, readBranches(parser, block));
  for (let branch: SyntaxBlock | undefined = block; branch; branch = branch.elseIf) {
    branch.closeStrip = closeStrip;
  }
  parser.blocks -= 1;
  parser.branches = branches;
  return block;
}

/** Reads to the end of the block, and returns the tag there. */
function readBranches(parser: Parser, block: SyntaxBlock): Opener | undefined {
  const { statements, end } = readPart(parser);
  block.first = statements;
  if (end?.sign === 'else if') {
    if (block.isInverted) throw createErrorAtOffset(parser.reader, end.at, invertedProblem);
    const next = openBlock(parser, end);
    block.elseIf = next;
    block.second = [next];
    block.elseStrip = next.openStrip;
    return readBranches(parser, next);
  }
  if (end?.sign !== 'else') return end;
  countBranch(parser, end);
  const { source, at } = parser.reader;
  block.elseStrip = { open: end.isStripped, close: source[at - 3] === '~' };
  const otherwise = readPart(parser);
  block.second = otherwise.statements;
  return otherwise.end;
}

const invertedProblem = 'A block that starts with ^ can have an {{else}} but no else if.';

function openBlock(parser: Parser, opener: Opener): SyntaxBlock {
  countBranch(parser, opener);
  const { reader } = parser;
  const { sign, isStripped, line, column } = opener;
  readToken(reader);
  const path = readName(reader);
  const { params, hash } = readArguments(reader);
  const blockParams = readBlockParams(reader);
  const openStrip = { open: isStripped, close: closeTag(reader, '}}') };
  return {
    type: 'block',
    path,
    params,
    hash,
    blockParams,
    isInverted: sign === '^',
    first: [],
    second: undefined,
    elseIf: undefined,
    openStrip,
    elseStrip: noStrip,
    closeStrip: noStrip,
    line,
    column,
  };
}

const noStrip: Strip = { open: false, close: false };

function countBranch(parser: Parser, { at }: Opener): void {
  parser.branches += 1;
  if (parser.branches > maxNestedBranches) {
    const problem = `Open blocks can have at most ${maxNestedBranches} parts together.`;
    throw createErrorAtOffset(parser.reader, at, problem);
  }
}

function readBlockParams(reader: Reader): string[] {
  const names: string[] = [];
  if (reader.token.kind !== 'as |') return names;
  let { kind, at, text } = readToken(reader);
  while (kind === 'name') {
    if (text.startsWith('[')) {
      throw createErrorAtOffset(reader, at, 'Write the block parameter without square brackets.');
    }
    names.push(text);
    ({ kind, at, text } = readToken(reader));
  }
  if (names.length === 0 || kind !== '|') throw createUnexpectedError(reader);
  readToken(reader);
  return names;
}

function closeBlock(reader: Reader, block: SyntaxBlock, end: Opener | undefined): Strip {
  if (!end) throw createErrorAt(block, 'This block is never closed: end it with {{/…}}.');
  if (end.sign !== '/') {
    throw createErrorAtOffset(reader, end.at, 'A block can have only one else, as its last part.');
  }
  readToken(reader);
  const [openName, closeName] = [getName(block.path), getName(readName(reader))];
  const strip = { open: end.isStripped, close: closeTag(reader, '}}') };
  if (openName !== closeName) {
    const [name, closingName] = [quote(String(openName)), quote(String(closeName))];
    const problem = `{{#${name}}} is closed by {{/${closingName}}}: close it with {{/${name}}}.`;
    throw createErrorAt(block.path, problem);
  }
  return strip;
}

function getName(path: SyntaxBlock['path']): LiteralValue {
  return path.type === 'path' ? path.original : path.value;
}

import type { SyntaxBlock, SyntaxStatement } from './syntax';

/**
 * Strips white space beside `~`, and the rest of lines that contain only a comment or a block tag. Follows Handlebars
 * step by step, because each step depends on the result of the previous ones.
 */
export function stripWhiteSpace(statements: readonly SyntaxStatement[]): void {
  stripPart(statements, true);
}

type Part = readonly SyntaxStatement[];

function stripPart(part: Part, isWhole: boolean): void {
  let index = 0;
  for (const statement of part) {
    if (statement.type === 'block') stripInside(statement);
    if (statement.type !== 'text') stripAround(statement, { part, index, isWhole });
    index += 1;
  }
}

type Position = { part: Part; index: number; isWhole: boolean };

function stripAround(
  statement: Exclude<SyntaxStatement, { type: 'text' }>,
  position: Position,
): void {
  const { part, index } = position;
  const { type } = statement;
  const { open } = type === 'block' ? statement.openStrip : statement.strip;
  const { close } = type === 'block' ? statement.closeStrip : statement.strip;
  if (close) trimStart(part[index + 1], 'all');
  if (open) trimEnd(part[index - 1], 'all');
  if (type === 'block') stripTagLines(statement, position);
  if (type === 'comment' && isBlankBefore(position) && isBlankAfter(position)) {
    trimStart(part[index + 1], 'line');
    trimEnd(part[index - 1], 'line');
  }
}

/** Strips the line of the first or last tag of a block if it has no other content. */
function stripTagLines(block: SyntaxBlock, position: Position): void {
  const { part, index } = position;
  const { main, next } = getBranches(block);
  if (isBlankBefore(position) && startsWithBlank(main)) {
    trimStart(main[0], 'line');
    trimEnd(part[index - 1], 'line');
  }
  if (isBlankAfter(position) && endsWithBlank(next ?? main)) {
    trimStart(part[index + 1], 'line');
    trimLastLines(block);
  }
}

/** Strips before the closing tag, in each part that may be the last one printed. */
function trimLastLines(block: SyntaxBlock): void {
  const { main, next = main } = getBranches(block);
  trimEnd(next.at(-1), 'line');
  for (let branch = block.elseIf; branch; branch = branch.elseIf) {
    trimEnd(branch.first.at(-1), 'line');
    if (!branch.elseIf) trimEnd(branch.second?.at(-1), 'line');
  }
}

function stripInside(block: SyntaxBlock): void {
  const { openStrip, closeStrip } = block;
  stripPart(block.first, false);
  if (block.second) stripPart(block.second, false);

  const { main, next } = getBranches(block);
  if (openStrip.close) trimStart(main[0], 'all');
  if (next) stripElse(block, main, next);
  else if (closeStrip.open) trimEnd(main.at(-1), 'all');
}

function stripElse({ elseStrip, closeStrip }: SyntaxBlock, main: Part, next: Part): void {
  if (elseStrip.open) trimEnd(main.at(-1), 'all');
  if (elseStrip.close) trimStart(next[0], 'all');
  if (closeStrip.open) trimEnd(next.at(-1), 'all');
  if (endsWithBlank(main) && startsWithBlank(next)) {
    trimEnd(main.at(-1), 'line');
    trimStart(next[0], 'line');
  }
}

/** The parts before and after the first `else`; Handlebars swaps those of an inverted block. */
function getBranches({ isInverted, first, second, elseIf }: SyntaxBlock): {
  main: Part;
  next?: Part;
} {
  if (!second) return { main: first };
  return isInverted
    ? { main: second, next: first }
    : { main: first, next: elseIf?.first ?? second };
}

function startsWithBlank(part: Part): boolean {
  return isBlankAfter({ part, index: -1, isWhole: false });
}

function endsWithBlank(part: Part): boolean {
  return isBlankBefore({ part, index: part.length, isWhole: false });
}

/** Whether only blanks are between the start of the line and a statement. */
function isBlankBefore({ part, index, isWhole }: Position): boolean {
  const before = part[index - 1];
  if (before?.type !== 'text') return !before && isWhole;
  const blankAt = before.original.trimEnd().length;
  return (isWhole && index === 1 && blankAt === 0) || before.original.includes('\n', blankAt);
}

/** Whether only blanks are between a statement and the end of its line. */
function isBlankAfter({ part, index, isWhole }: Position): boolean {
  const after = part[index + 1];
  if (after?.type !== 'text') return !after && isWhole;
  const { original } = after;
  const blanks = original.slice(0, original.length - original.trimStart().length);
  const isLast = index + 2 === part.length;
  return (isWhole && isLast && blanks === original) || blanks.includes('\n');
}

function trimStart(text: SyntaxStatement | undefined, extent: 'all' | 'line'): void {
  if (text?.type !== 'text' || (extent === 'line' && text.isStartTrimmed)) return;
  const { value } = text;
  text.value = extent === 'all' ? value.trimStart() : value.replace(/^[ \t]*\r?\n?/, '');
  text.isStartTrimmed = text.value !== value;
}

function trimEnd(text: SyntaxStatement | undefined, extent: 'all' | 'line'): void {
  if (text?.type !== 'text' || (extent === 'line' && text.isEndTrimmed)) return;
  const { value } = text;
  text.value = extent === 'all' ? value.trimEnd() : value.replace(/(?<![ \t])[ \t]+$/, '');
  text.isEndTrimmed = text.value !== value;
}

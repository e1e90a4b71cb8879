import { maxTags } from './limits';
import type { SyntaxStatement } from './syntax';
import { createErrorAtOffset, locate, type Reader, skip } from './tag-tokens';
import type { Place } from './template-error';

/** The start of a tag; `sign` is the text between its braces and its name. */
export type Opener = Place & { sign: string; at: number; isStripped: boolean };

/** Reads up to the next tag; false if there is none. */
export function readText(reader: Reader, statements: SyntaxStatement[]): boolean {
  const { source } = reader;
  let from = reader.at;
  let at = source.indexOf('{{', from);
  while (at !== -1) {
    countTag(reader, at);
    const backslashes = countBackslashes(source, at);
    addText(reader, statements, { from, to: backslashes > 0 ? at - 1 : at });
    reader.at = at;
    if (backslashes !== 1) return true;
    // The braces start a new text. Backslashes before the next tag do not belong to it.
    at = source.indexOf('{{', at + 2);
    from = at === -1 ? source.length : at - countBackslashes(source, at);
    addText(reader, statements, { from: reader.at, to: from });
  }
  addText(reader, statements, { from, to: source.length });
  return false;
}

function countTag(reader: Reader, at: number): void {
  reader.budget.tags -= 1;
  if (reader.budget.tags < 0) {
    throw createErrorAtOffset(
      reader,
      at,
      `A template can have at most ${maxTags} tags in all its fields.`,
    );
  }
}

/** One backslash escapes a tag; two are one literal backslash before a tag; more are text before them. */
function countBackslashes(source: string, at: number): number {
  if (source[at - 1] !== '\\') return 0;
  return source[at - 2] === '\\' ? 2 : 1;
}

function addText(
  reader: Reader,
  statements: SyntaxStatement[],
  { from, to }: { from: number; to: number },
): void {
  if (to <= from) return;
  const original = reader.source.slice(from, to);
  const { line, column } = locate(reader, from);
  statements.push({
    type: 'text',
    value: original,
    original,
    isStartTrimmed: false,
    isEndTrimmed: false,
    line,
    column,
  });
}

export function readOpener(reader: Reader): Opener {
  const { source, at } = reader;
  const opener = source.slice(at, skip(openerPattern, source, at));
  const isStripped = opener[2] === '~';
  const sign = getSign(opener.slice(isStripped ? 3 : 2));
  const refusal = refusedSigns.get(sign);
  if (refusal) throw createErrorAtOffset(reader, at, refusal);
  reader.tagAt = at;
  reader.at = at + opener.length;
  const { line, column } = locate(reader, at);
  return { sign, at, isStripped, line, column };
}

const openerPattern =
  /\{\{(?:\{\{|~?(?:(?:\^|\s*else)\s*~?\}\}|\s*else\b|!--|!|#>|#\*|#|>|\/|\^|\{|&|\*)?)/y;

function getSign(text: string): string {
  if (text.endsWith('}}')) return 'else';
  return text.endsWith('else') ? 'else if' : text;
}

const partials = 'Partials are not supported: write the text itself in the template.';
const decorators = 'Decorators are not supported: remove the *.';
const refusedSigns = new Map([
  [
    '{{',
    'Raw blocks are not supported. To print braces, write a backslash before them, as in \\{{.',
  ],
  ['>', partials],
  ['#>', partials],
  ['*', decorators],
  ['#*', decorators],
]);

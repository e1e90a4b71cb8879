import { diffLines, diffWordsWithSpace } from 'diff';

export type Part = { text: string; isChanged: boolean };
export type Side = { line: number; parts: Part[]; isChanged: boolean };
/** One aligned line of both texts; equal lines can be folded. */
export type TextRow = { before: Side | undefined; after: Side | undefined };

/** With more edits, the texts are compared as a whole. */
const maxLineEdits = 2_000;
const maxWordEdits = 400;
/** Lines that share less than this are compared as a whole. */
const leastShared = 0.3;

/** Aligns two texts by line, and marks the changed words of changed lines. */
export function textRows(before: string, after: string): TextRow[] {
  const rows: TextRow[] = [];
  const at = { before: 1, after: 1 };
  let removed: string[] = [];
  function addRows(left: string[], right: string[]) {
    for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
      rows.push(createRow(left[index], right[index], at));
    }
  }
  for (const change of compareLines(before, after)) {
    const lines = splitLines(change.value);
    if (change.removed) removed = lines;
    else if (change.added) {
      addRows(removed, lines);
      removed = [];
    } else {
      addRows(removed, []);
      removed = [];
      for (const line of lines) rows.push(sameRow(line, at));
    }
  }
  addRows(removed, []);
  return rows;
}

type LineChange = { value: string; added: boolean; removed: boolean };

function compareLines(before: string, after: string): LineChange[] {
  const rules = { maxEditLength: maxLineEdits, stripTrailingCr: true, ignoreNewlineAtEof: true };
  return (
    diffLines(before, after, rules) ?? [
      { value: before, added: false, removed: true },
      { value: after, added: true, removed: false },
    ]
  );
}

function splitLines(text: string): string[] {
  if (text === '') return [];
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}

type At = { before: number; after: number };

function sameRow(text: string, at: At): TextRow {
  const side = (line: number): Side => {
    return { line, parts: toUnchangedParts(text), isChanged: false };
  };
  const row = { before: side(at.before), after: side(at.after) };
  at.before += 1;
  at.after += 1;
  return row;
}

function createRow(before: string | undefined, after: string | undefined, at: At): TextRow {
  const [left, right] =
    before !== undefined && after !== undefined
      ? compareWords(before, after)
      : [toUnchangedParts(before ?? ''), toUnchangedParts(after ?? '')];
  const row = {
    before: before === undefined ? undefined : { line: at.before, parts: left, isChanged: true },
    after: after === undefined ? undefined : { line: at.after, parts: right, isChanged: true },
  };
  if (row.before) at.before += 1;
  if (row.after) at.after += 1;
  return row;
}

/** A whole changed line needs no word marks. */
function toUnchangedParts(text: string): Part[] {
  return [{ text, isChanged: false }];
}

function compareWords(before: string, after: string): [Part[], Part[]] {
  const changes = diffWordsWithSpace(before, after, { maxEditLength: maxWordEdits });
  if (!changes) return [toUnchangedParts(before), toUnchangedParts(after)];
  const shared = changes
    .filter(({ added, removed }) => !added && !removed)
    .reduce((sum, { value }) => sum + value.trim().length, 0);
  if (shared < leastShared * Math.max(before.length, after.length)) {
    return [toUnchangedParts(before), toUnchangedParts(after)];
  }
  const getParts = (other: 'added' | 'removed', own: 'added' | 'removed'): Part[] =>
    changes
      .filter((change) => !change[other])
      .map((change) => ({ text: change.value, isChanged: change[own] === true }));
  return [getParts('added', 'removed'), getParts('removed', 'added')];
}

export type Folded = { rows: TextRow[]; isFolded: boolean };

const contextLines = 3;
const leastFolded = 3;

/** Runs of equal lines, except those beside a change. */
export function foldRows(rows: readonly TextRow[]): Folded[] {
  const isNear = rows.map((_, index) =>
    rows
      .slice(Math.max(0, index - contextLines), index + contextLines + 1)
      .some((row) => isChangedRow(row)),
  );
  const runs: Folded[] = [];
  rows.forEach((row, index) => {
    const isFolded = isNear[index] === false;
    const last = runs.at(-1);
    if (last?.isFolded === isFolded) last.rows.push(row);
    else runs.push({ rows: [row], isFolded });
  });
  return runs.map((run) => ({ ...run, isFolded: run.isFolded && run.rows.length >= leastFolded }));
}

export function isChangedRow({ before, after }: TextRow): boolean {
  return before?.isChanged === true || after?.isChanged === true;
}

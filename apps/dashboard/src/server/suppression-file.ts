import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { AnyChannel } from '@belfry/channels';
import type { ImportedSuppression } from '@belfry/database';
import {
  getOwn,
  parseIso,
  type SuppressionReason,
  suppressionReasons,
  suppressionSources,
  usualSources,
} from '@belfry/shared';
import { CsvError, type Info, parse } from 'csv-parse';
import type { FieldProblem } from '../api/problem';
import { maxImportedRows } from '../api/suppressions';
import { rearmFormula } from './csv';
import { invalid, Refusal } from './problem';
import { canonicalizeAddress } from './user-page';

export const suppressionColumns = [
  'channel',
  'address',
  'sender',
  'scope',
  'reason',
  'source',
  'detail',
  'created_at',
] as const;
type Column = (typeof suppressionColumns)[number];

type FileDeps = {
  channels: Record<string, AnyChannel>;
  app: Parameters<typeof canonicalizeAddress>[2]['app'];
  now: Date;
};

/** A column of the file is wrong. The message follows the line and the name of the column. */
class CellError extends Error {
  readonly column: Column;

  constructor(column: Column, message: string) {
    super(message);
    this.column = column;
  }
}

/** The rows of a file, normalized like typed addresses. Throws a Refusal that names line and column of each problem. */
export async function readSuppressionFile(
  csv: string,
  deps: FileDeps,
): Promise<ImportedSuppression[]> {
  const result: ReadRows = { rows: [], problems: [] };
  let columns: Column[] | undefined;
  for await (const place of readRecords(csv)) {
    if (columns === undefined) columns = readHeader(place.record);
    else addRow(result, { ...place, columns }, deps);
    if (result.rows.length > maxImportedRows) throw tooManyRows();
    if (result.problems.length >= maxProblems) break;
  }
  if (columns === undefined) throw unreadable('The file is empty.');
  return requireRows(result);
}

type ReadRows = { rows: ImportedSuppression[]; problems: FieldProblem[] };

function requireRows({ rows, problems }: ReadRows): ImportedSuppression[] {
  if (problems.length > 0) throw refuseRows(problems);
  if (rows.length > 0) return rows;
  throw unreadable('The file has no rows below the names of its columns.');
}

/** Reading stops after so many problems. */
const maxProblems = 50;
const maxSentences = 5;

function refuseRows(problems: FieldProblem[]): Refusal {
  const { message } = invalid(problems.slice(0, maxSentences));
  const more = problems.length - maxSentences;
  const count = problems.length < maxProblems ? String(more) : `at least ${more}`;
  const rest = more > 0 ? ` And ${count} more. ` : ' ';
  return new Refusal('invalid', `${message}${rest}Nothing was imported.`, { fields: problems });
}

function unreadable(problem: string): Refusal {
  const text = `${problem} Nothing was imported.`;
  return new Refusal('invalid', text, { fields: [{ path: 'csv', problem }] });
}

function tooManyRows(): Refusal {
  return unreadable(
    `The file has more than ${maxImportedRows.toLocaleString('en')} rows. Split it into several files.`,
  );
}

/** The time for one chunk is short, so that other calls of the dashboard are answered between two. */
const chunkBytes = 8_192;

async function* readChunks(csv: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(csv);
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    await setImmediate();
    yield bytes.subarray(at, at + chunkBytes);
  }
}

/** Rows with the line on which each ends. Empty lines are left out. */
async function* readRecords(csv: string): AsyncGenerator<{ record: string[]; line: number }> {
  const parser = Readable.from(readChunks(csv), { objectMode: false }).pipe(
    parse({
      bom: true,
      info: true,
      relaxColumnCount: true,
      skipEmptyLines: true,
      recordDelimiter: ['\r\n', '\n', '\r'],
    }),
  );
  try {
    // The option `info` adds the position to each record.
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>)
      yield { record, line: info.lines };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw unreadable(`Line ${error['lines']} has a quotation mark in the wrong place.`);
  }
}

function readHeader(record: readonly string[]): Column[] {
  const names = record.map((name) => name.trim().toLowerCase());
  if (names.length === 1 && names[0]?.includes(';')) {
    throw unreadable('Separate the columns with commas, not semicolons.');
  }
  const isColumn = (name: string): name is Column =>
    suppressionColumns.some((column) => column === name);
  const columns = names.filter(isColumn);
  const unknown = names.find((name) => !isColumn(name));
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  const missing = (['channel', 'address'] as const).find((name) => !columns.includes(name));
  const columnList = `The columns are ${suppressionColumns.join(', ')}.`;
  if (missing) throw unreadable(`Line 1 has no column ${missing}. ${columnList}`);
  if (repeated !== undefined) throw unreadable(`Line 1 has the column ${repeated} twice.`);
  if (unknown !== undefined) {
    throw unreadable(`Line 1 has the unknown column "${unknown.slice(0, 50)}". ${columnList}`);
  }
  return columns;
}

function describeLength(record: readonly string[], columns: readonly Column[]): string {
  const values = record.length === 1 ? '1 value' : `${record.length} values`;
  return `has ${values} for ${columns.length} columns`;
}

type Cells = Record<Column, string>;

/** Every column, empty if the file has none. */
function toCells(columns: readonly Column[], record: readonly string[]): Cells {
  const read = (column: Column) => record[columns.indexOf(column)] ?? '';
  const cells = suppressionColumns.map((column) => [column, rearmFormula(read(column)).trim()]);
  // The keys are all columns.
  return Object.fromEntries(cells) as Cells;
}

type Place = { record: string[]; line: number; columns: readonly Column[] };

function addRow({ rows, problems }: ReadRows, place: Place, deps: FileDeps): void {
  const { record, line, columns } = place;
  if (record.length !== columns.length) {
    problems.push({ path: `line ${line}`, problem: describeLength(record, columns) });
    return;
  }
  try {
    rows.push(readRow(toCells(columns, record), deps));
  } catch (error) {
    if (!(error instanceof CellError)) throw error;
    problems.push({ path: `line ${line}, ${error.column}`, problem: error.message });
  }
}

/** Without a source, the reason decides; without a scope, the source. */
function readRow(cells: Cells, { channels, app, now }: FileDeps): ImportedSuppression {
  const channel = getOwn(channels, cells.channel);
  if (!channel) throw new CellError('channel', 'is not a known channel');
  const address = canonicalizeAddress(readText(cells, 'address', 2_000), channel, {
    channels,
    app,
  });
  if ('problem' in address) throw new CellError('address', address.problem);
  const reason = readChoice(cells, 'reason', suppressionReasons) ?? 'manual';
  const source = readChoice(cells, 'source', suppressionSources) ?? getUsualSource(reason);
  return {
    channel: cells.channel,
    address: address.address,
    sender: readText(cells, 'sender', 200),
    scope: readChoice(cells, 'scope', scopes) ?? suppressionSources[source].scope,
    reason,
    source,
    detail: readText(cells, 'detail', 500),
    createdAt: readTime(cells, now),
  };
}

const scopes = { all: true, optional: true };

const getUsualSource = (reason: SuppressionReason) =>
  reason === 'manual' ? 'manual' : usualSources[reason];

function readText(cells: Cells, column: Column, maxCharacters: number): string {
  const text = cells[column];
  if (text.length <= maxCharacters) return text;
  const max = maxCharacters.toLocaleString('en');
  throw new CellError(column, `must have at most ${max} characters`);
}

/** Undefined if the cell is empty. */
function readChoice<Choice extends string>(
  cells: Cells,
  column: Column,
  choices: Record<Choice, unknown>,
): Choice | undefined {
  const text = cells[column];
  if (text === '') return undefined;
  const names = Object.keys(choices) as Choice[];
  const choice = names.find((name) => name === text);
  if (choice === undefined) throw new CellError(column, `must be one of ${names.join(', ')}`);
  return choice;
}

function readTime({ created_at: text }: Cells, now: Date): Date | undefined {
  if (text === '') return undefined;
  const at = parseIso(text);
  if (at === undefined || Number.isNaN(at)) {
    throw new CellError('created_at', 'must be a time such as 2026-12-01T14:30:00Z');
  }
  if (at < 0 || at > now.getTime()) {
    throw new CellError('created_at', 'must be after 1969 and not in the future');
  }
  return new Date(at);
}

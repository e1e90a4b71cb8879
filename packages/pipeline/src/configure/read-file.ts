import type { AnyChannel } from '@belfry/channels';
import type { Static, TSchema } from '@sinclair/typebox';
import type { FileProblem } from './configuration';
import { findProblems } from './find-problems';
import type { Files } from './format-files';

/** Every problem of a folder in one error. */
export class FileProblems extends Error {
  readonly problems: readonly FileProblem[];

  constructor(problems: readonly FileProblem[]) {
    super(problems.map(({ file, problem }) => `${file}: ${problem}`).join('\n'));
    this.name = 'FileProblems';
    this.problems = problems;
  }
}

/** Reads the files of a folder, and collects their problems. */
export type Reader = {
  files: Files;
  channels: Record<string, AnyChannel>;
  report(file: string, problem: string): void;
};

/** The file as the type of the schema. Undefined after a problem was reported. */
export function readFile<T extends TSchema>(
  { files, report }: Reader,
  file: string,
  schema: T,
): Static<T> | undefined {
  const parsed = parseJson(files.get(file) ?? '');
  if ('problem' in parsed) {
    report(file, parsed.problem);
    return undefined;
  }
  const problems = findProblems(schema, parsed.value, '');
  for (const { path, problem } of problems) report(file, `${path} ${problem}`.trim());
  return problems.length === 0 ? (parsed.value as Static<T>) : undefined;
}

/** A missing file is an empty list. */
export function readList<T extends TSchema>(reader: Reader, file: string, schema: T): Static<T> {
  const empty = [] as Static<T>;
  return reader.files.has(file) ? (readFile(reader, file, schema) ?? empty) : empty;
}

/** The message of the parser may quote the file, and with it a secret that is there by mistake. */
function parseJson(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const [, position] = /at position (\d+)/.exec(String(error)) ?? [];
    if (position === undefined) return { problem: 'is not valid JSON' };
    const line = text.slice(0, Number(position)).split('\n').length;
    return { problem: `is not valid JSON (line ${line})` };
  }
}

import { linkNames } from '@belfry/shared';
import { listLeaves } from './sample';

export type CompletionInput = { paths: string[]; helpers: string[]; data: Record<string, unknown> };
export type Completions = {
  typed: string;
  options: { label: string; detail: string; kind: 'variable' | 'function' | 'keyword' }[];
};

const blocks = ['if', 'unless', 'each', 'with'];
const maxSampleCharacters = 24;

/** Completions after `{{`: values with their sample, and helpers; after `#`, blocks. */
export function findCompletions(
  before: string,
  { paths, helpers, data }: CompletionInput,
): Completions | undefined {
  const open = before.lastIndexOf('{{');
  if (open < 0 || before.indexOf('}}', open) >= 0) return undefined;
  const expression = before.slice(open + 2).replace(/^\{/, '');
  const typed = /(?<![\w.@-])[\w.@-]*$/.exec(expression)?.[0] ?? '';
  const ahead = expression.slice(0, expression.length - typed.length);
  if (/^~?#$/.test(ahead)) {
    const options = blocks.map((label) => ({ label, detail: 'block', kind: 'keyword' }) as const);
    return { typed, options };
  }
  if (/^~?[/!]/.test(ahead)) return undefined;
  const samples = new Map(listLeaves(data).map(({ path, value }) => [path, value]));
  const allPaths = [...new Set([...samples.keys(), ...paths, ...linkNames])];
  const values = allPaths.map(
    (label) =>
      ({ label, detail: formatDetail(label, samples.get(label)), kind: 'variable' }) as const,
  );
  const isFirst = ahead.trim() === '' || ahead.trimEnd().endsWith('(');
  const calls = isFirst
    ? helpers.map((label) => ({ label, detail: 'helper', kind: 'function' }) as const)
    : [];
  return { typed, options: [...values, ...calls] };
}

function formatDetail(label: string, value: unknown): string {
  if (value !== undefined) return formatSample(value);
  const isLink = linkNames.some((name) => name === label);
  return isLink ? 'link from Belfry' : 'not in the sample';
}

function formatSample(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const kind = Array.isArray(value) ? 'list' : typeof value;
  return `${kind} · ${text.length > maxSampleCharacters ? `${text.slice(0, maxSampleCharacters)}…` : text}`;
}

import fc from 'fast-check';
import type { Data } from '../data';
import { escapeHtml, escapeNothing } from './escapes';
import type { Template, TemplateNode } from './nodes';
import { parseTemplate } from './parse';
import { renderTemplate } from './render';
import { TemplateError } from './template-error';
import { pickWord, soup } from './template-texts.fixture';

/** Valid templates; their own text has no < > or quote. */
const body = fc.letrec<{ path: string; value: string; node: string; body: string }>((tie) => ({
  path: pickWord(
    'a b.c this .. ../a ./a @index @key @first @root.b list list.length o x x.a [a] constructor __proto__ o.toString',
  ),
  value: fc.oneof(
    { depthSize: 'small' },
    tie('path'),
    pickWord("'s' 1 0 true null undefined '2024-01-01'"),
    fc.tuple(pickWord('number date'), tie('path')).map(call),
    fc.tuple(pickWord('upper lower length join json not'), tie('value')).map(call),
    fc.tuple(pickWord('default eq ne gt lt and or'), tie('value'), tie('value')).map(call),
  ),
  node: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(' text ', '\n', '{ }', '{{!-- c --}}'),
    tie('path').map((path) => `{{${path}}}`),
    tie('value').map((value) => `{{default ${value} ''}}`),
    fc
      .tuple(tie('value'), tie('body'))
      .map(([value, inner]) => `{{#with ${value}}}{{this}}${inner}{{/with}}`),
    fc
      .tuple(tie('value'), tie('body'))
      .map(([value, inner]) => `{{#each ${value} as |x k|}}${inner}{{k}}{{/each}}`),
    fc
      .tuple(tie('value'), tie('body'), tie('body'))
      .map(([value, inner, otherwise]) => `{{#if ${value}}}${inner}{{else}}${otherwise}{{/if}}`),
  ),
  body: fc.array(tie('node'), { maxLength: 4 }).map((nodes) => nodes.join('')),
})).body;

function call(words: string[]): string {
  return `(${words.join(' ')})`;
}

const name = pickWord('a b c list o x __proto__ constructor toString length 0');

/** Any JSON text from the wire: `__proto__` is an ordinary member. */
const jsonText = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(
      'null',
      'true',
      'false',
      '0',
      '-0',
      '1.5',
      '1e300',
      '""',
      '"x"',
      '"<b>"',
      '"2024-01-01"',
    ),
    fc.constantFrom('"{{a}}"', '"{{#each list}}"', '"}}"', '"{{{b}}}"'),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.array(tie('json'), { maxLength: 4 }).map((items) => `[${items}]`),
    fc.array(fc.tuple(name, tie('json')), { maxLength: 4 }).map(objectText),
  ),
})).json;

function objectText(entries: [string, string][]): string {
  return `{${entries.map(([key, value]) => `"${key}":${value}`)}}`;
}

const data = fc
  .array(fc.tuple(name, jsonText), { maxLength: 8 })
  .map((entries): Data => JSON.parse(objectText(entries)));

const isFull = process.env['TEST_FULL'] !== undefined;
const runs = { numRuns: isFull ? 20_000 : 500 };
const timeoutMs = isFull ? 300_000 : 20_000;

function tryParse(source: string): Template | undefined {
  try {
    return parseTemplate(source);
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}

function listPrints(nodes: readonly TemplateNode[]): Extract<TemplateNode, { kind: 'print' }>[] {
  return nodes.flatMap((node) => {
    if (node.kind === 'block') return node.branches.flatMap(listPrints);
    return node.kind === 'print' ? [node] : [];
  });
}

function getOffset(source: string, { line, column }: { line: number; column: number }): number {
  const before = source.split(/(?<=\r\n|\r(?!\n)|\n)/).slice(0, line - 1);
  return before.join('').length + column - 1;
}

describe('any text as a template', () => {
  test(
    'parses, or fails with a position inside the text',
    () => {
      fc.assert(
        fc.property(soup, (source) => {
          try {
            parseTemplate(source);
          } catch (error) {
            if (!(error instanceof TemplateError)) throw error;
            const offset = getOffset(source, error);
            expect(offset).toBeGreaterThanOrEqual(0);
            expect(offset).toBeLessThanOrEqual(source.length);
          }
        }),
        runs,
      );
    },
    timeoutMs,
  );

  test(
    'prints at the positions of its nodes, numbered in source order',
    () => {
      fc.assert(
        fc.property(fc.oneof(soup, body), (source) => {
          const template = tryParse(source);
          const prints = listPrints(template?.nodes ?? []).sort(
            (left, right) => left.id - right.id,
          );
          const offsets = prints.map((print) => getOffset(source, print));
          expect(prints.map(({ id }) => id)).toEqual(prints.map((_print, index) => index));
          expect(offsets.every((offset) => source.startsWith('{{', offset))).toBe(true);
          expect(offsets).toEqual([...offsets].sort((left, right) => left - right));
        }),
        runs,
      );
    },
    timeoutMs,
  );
});

describe('any template with any data', () => {
  test(
    'renders without throwing, and never prints undefined, NaN or [object Object]',
    () => {
      fc.assert(
        fc.property(fc.oneof(body, soup), data, (source, values) => {
          const template = tryParse(source);
          if (!template) return;
          const before = JSON.stringify(values);
          const rendered = renderTemplate(template, values, { escape: escapeNothing });
          const text = 'text' in rendered ? rendered.text : '';
          expect(text).not.toMatch(/undefined|NaN|Infinity|\[object|function/i);
          expect(JSON.stringify(values)).toBe(before);
        }),
        runs,
      );
    },
    timeoutMs,
  );

  test(
    'never parses a value as a template',
    () => {
      fc.assert(
        fc.property(fc.oneof(soup, fc.string({ unit: 'binary' })), (value) => {
          const source =
            '{{a}}|{{{a}}}|{{#each l}}{{this}}{{/each}}|{{#with a}}{{.}}{{/with}}|{{default b a}}';
          const rendered = renderTemplate(
            parseTemplate(source),
            { a: value, l: [value] },
            { escape: escapeNothing },
          );
          expect(rendered).toMatchObject({ text: [value, value, value, value, value].join('|') });
        }),
        runs,
      );
    },
    timeoutMs,
  );

  test(
    'never lets an HTML-escaped value become markup',
    () => {
      fc.assert(
        fc.property(body, data, (source, values) => {
          const rendered = renderTemplate(parseTemplate(source), values, { escape: escapeHtml });
          expect('text' in rendered && rendered.text).not.toMatch(/[<>"']/);
        }),
        runs,
      );
    },
    timeoutMs,
  );

  test(
    'keeps the output within the limit',
    () => {
      fc.assert(
        fc.property(
          body,
          data,
          fc.nat(50),
          fc.nat(500),
          (source, values, maxOutputLength, units) => {
            const bounds = { escape: escapeNothing, maxOutputLength, budget: { units } };
            const rendered = renderTemplate(parseTemplate(source), values, bounds);
            if ('text' in rendered)
              expect(rendered.text.length).toBeLessThanOrEqual(maxOutputLength);
            else expect(['too_long', 'too_complex']).toContain(rendered.failed);
          },
        ),
        runs,
      );
    },
    timeoutMs,
  );
});

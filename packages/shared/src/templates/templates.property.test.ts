import { parseWithoutProcessing } from '@handlebars/parser';
import fc from 'fast-check';
import type { Data } from '../data';
import { escapeHtml, escapeNothing } from './escapes';
import { maxNestedBranches, maxParenthesisLevels } from './limits';
import type { Template, TemplateNode } from './nodes';
import { parseTemplate } from './parse';
import { createParseBudget } from './parse-budget';
import { renderTemplate } from './render';
import { scanTemplate } from './scan';
import { TemplateError } from './template-error';

const oneOf = (words: string) => fc.constantFrom(...words.split(' '));

/** Pieces that make valid tags often, and broken ones as well. */
const piece = fc.oneof(
  oneOf('{{ }} {{{ }}} { } {{{{ }}}} ~ ( ) [ ] [] " \' | = & ^ # / . .. @ ! \\ \\\\ .#'),
  oneOf('{{a}} {{{b}}} {{this}} {{../a}} {{/if}} {{/each}} {{/with}} {{else}} {{^}}'),
  oneOf('{{! {{!-- --}} {{> {{* {{#> {{#* {{/ {{# {{^ {{& {{~ ~}} {{!x}}'),
  oneOf("a b o list this else eq upper 1 true null @index [a\tb] 'x' text <b> 🎉"),
  fc.constantFrom('{{#if a}}', '{{#each list}}', '{{#with o}}', '{{else if b}}', '{{^if a}}'),
  fc.constantFrom('(eq a b)', '(not ', 'upper ', ' as |x y|', ' ', '\n', '\r\n', '\r', '\t'),
);

const soup = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

/** Whole templates, valid by construction; their own text holds no < > or quote. */
const body = fc.letrec<{ path: string; value: string; node: string; body: string }>((tie) => ({
  path: oneOf(
    'a b.c this .. ../a ./a @index @key @first @root.b list list.length o x x.a [a] constructor __proto__ o.toString',
  ),
  value: fc.oneof(
    { depthSize: 'small' },
    tie('path'),
    oneOf("'s' 1 0 true null undefined '2024-01-01'"),
    fc.tuple(oneOf('number date'), tie('path')).map(call),
    fc.tuple(oneOf('upper lower length join json not'), tie('value')).map(call),
    fc.tuple(oneOf('default eq ne gt lt and or'), tie('value'), tie('value')).map(call),
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
      .map(([value, inner, other]) => `{{#if ${value}}}${inner}{{else}}${other}{{/if}}`),
  ),
  body: fc.array(tie('node'), { maxLength: 4 }).map((nodes) => nodes.join('')),
})).body;

function call(words: string[]): string {
  return `(${words.join(' ')})`;
}

const name = oneOf('a b c list o x __proto__ constructor toString length 0');

/** Any JSON, as it comes off the wire: `__proto__` is a member like any other. */
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

function printsOf(nodes: readonly TemplateNode[]): Extract<TemplateNode, { kind: 'print' }>[] {
  return nodes.flatMap((node) => {
    if (node.kind === 'block') return node.branches.flatMap(printsOf);
    return node.kind === 'print' ? [node] : [];
  });
}

function offsetOf(source: string, { line, column }: { line: number; column: number }): number {
  const before = source.split(/(?<=\r\n|\r(?!\n)|\n)/).slice(0, line - 1);
  return before.join('').length + column - 1;
}

describe('any text as a template', () => {
  test(
    'is parsed, or refused with a place inside it',
    () => {
      fc.assert(
        fc.property(soup, (source) => {
          try {
            parseTemplate(source);
          } catch (error) {
            if (!(error instanceof TemplateError)) throw error;
            const offset = offsetOf(source, error);
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
    'prints at the places that its nodes name, numbered in source order',
    () => {
      fc.assert(
        fc.property(fc.oneof(soup, body), (source) => {
          const template = tryParse(source);
          const prints = printsOf(template?.nodes ?? []).sort((left, right) => left.id - right.id);
          const offsets = prints.map((print) => offsetOf(source, print));
          expect(prints.map(({ id }) => id)).toEqual(prints.map((_print, index) => index));
          expect(offsets.every((offset) => source.startsWith('{{', offset))).toBe(true);
          expect(offsets).toEqual([...offsets].sort((left, right) => left - right));
        }),
        runs,
      );
    },
    timeoutMs,
  );

  test(
    'is refused by the scan only when the parser refuses it or it holds what the language leaves out',
    () => {
      const leftOut = /"(?:Partial|Decorator)|\{\{\{\{|\[\]|\.#/;
      fc.assert(
        fc.property(soup, (source) => {
          const tree = treeOf(source);
          if (tree === undefined || leftOut.test(tree) || leftOut.test(source)) return;
          expect(() => scanTemplate(source, createParseBudget())).not.toThrow();
        }),
        runs,
      );
    },
    timeoutMs,
  );

  test(
    'never gets past the scan with more nesting than its bounds',
    () => {
      const repeated = fc
        .tuple(piece, fc.integer({ min: 1, max: 40 }))
        .map(([text, times]) => text.repeat(times));
      fc.assert(
        fc.property(fc.array(fc.oneof(piece, repeated), { maxLength: 12 }), (pieces) => {
          const source = pieces.join('');
          const tree = doesScan(source) ? treeOf(source) : undefined;
          expect(deepest(tree, 'BlockStatement')).toBeLessThanOrEqual(maxNestedBranches);
          expect(deepest(tree, 'SubExpression')).toBeLessThanOrEqual(maxParenthesisLevels);
        }),
        runs,
      );
    },
    timeoutMs,
  );
});

function doesScan(source: string): boolean {
  try {
    scanTemplate(source, createParseBudget());
    return true;
  } catch {
    return false;
  }
}

/** The parser's tree as JSON. */
function treeOf(source: string): string | undefined {
  try {
    return JSON.stringify(parseWithoutProcessing(source));
  } catch {
    return undefined;
  }
}

function deepest(tree: string | undefined, type: string): number {
  const depthOf = (part: unknown): number => {
    if (typeof part !== 'object' || part === null) return 0;
    const inner = Math.max(0, ...Object.values(part).map(depthOf));
    return inner + ('type' in part && part.type === type ? 1 : 0);
  };
  return tree === undefined ? 0 : depthOf(JSON.parse(tree));
}

describe('any template with any data', () => {
  test(
    'renders without throwing, and never shows what JavaScript calls nothing',
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
    'a value is never read as a template',
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
    'a value escaped for HTML can not become markup',
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
    'the text stays within the length that is asked for',
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

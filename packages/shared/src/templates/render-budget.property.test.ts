import fc from 'fast-check';
import type { Data } from '../data';
import { escapeHtml, escapeNothing } from './escapes';
import { helpers } from './helpers';
import { defaultMaxOutputCharacters, maxRenderUnits } from './limits';
import { helperNames } from './nodes';
import { parseTemplate } from './parse';
import { type Rendered, renderTemplate } from './render';
import { createRenderBudget } from './render-budget';

const isFull = process.env['TEST_FULL'] === '1';
const runs = { numRuns: isFull ? 5_000 : 300 };
const timeoutMs = isFull ? 300_000 : 60_000;

/** Large values within the 256 KB of a request: long lists and texts, wide and deep objects, characters that grow. */
const values: Record<string, fc.Arbitrary<Data[string]>> = {
  list: fc.integer({ min: 0, max: 60_000 }).map((length) => Array(length).fill(0)),
  texts: fc
    .tuple(
      fc.integer({ min: 0, max: 300 }),
      fc.constantFrom('', 'ß', 'ŉ', 'İ', '漢', '"', '\u0001'),
    )
    .map(([length, text]) => Array(length).fill(text.repeat(200))),
  objects: fc
    .integer({ min: 0, max: 5_000 })
    .map((length) => Array.from({ length }, (_, id) => ({ id, name: `n${id}` }))),
  wide: fc
    .integer({ min: 0, max: 2_000 })
    .map((size) => Object.fromEntries(Array.from({ length: size }, (_, id) => [`k${id}`, id]))),
  deep: fc.integer({ min: 1, max: 30 }).map((levels) => {
    let value: Data = {};
    for (let level = 0; level < levels; level += 1) value = { a: value };
    return value;
  }),
  long: fc
    .tuple(
      fc.integer({ min: 0, max: 100_000 }),
      fc.constantFrom('x', 'ß', 'ΐ', '&', '"', '漢', '\u0001'),
    )
    .map(([length, text]) => text.repeat(length)),
  zones: fc.integer({ min: 0, max: 400 }).map((length) => allZones.slice(0, length)),
};

const allZones = Intl.supportedValuesOf('timeZone');
const data = fc.record(values) as fc.Arbitrary<Data>;

const path = fc.constantFrom(
  ...Object.keys(values).map((name) => `@root.${name}`),
  'this',
  'x.y',
  `@root.deep${'.a'.repeat(28)}`,
  '@index',
);

/** Nested calls of every helper, with up to the maximum number of arguments. */
const { expression } = fc.letrec<{ expression: string; call: string }>((tie) => ({
  expression: fc.oneof({ depthSize: 'small' }, path, fc.constantFrom("'x'", '3'), tie('call')),
  call: fc.constantFrom(...helperNames).chain((name) =>
    fc
      .array(tie('expression'), {
        minLength: helpers[name].minArgs,
        maxLength: helpers[name].maxArgs,
      })
      .map((args) => `(${name} ${withFixedWords(name, args).join(' ')})`),
  ),
}));

/** Replaces arguments that must be literals. */
function withFixedWords(name: string, args: string[]): string[] {
  const [value = 'this', second, third, fourth] = args;
  if (name === 'number') return [value, '2', ...(third === undefined ? [] : ["'ar-EG'"])];
  if (name === 'plural') return [value, `one=${value}`, `other=${value}`];
  if (name !== 'date') return args;
  const zone = third === undefined ? [] : [third.startsWith('(') ? third : 'this'];
  return [
    value,
    ...(second === undefined ? [] : ["'full long'"]),
    ...zone,
    ...(fourth === undefined ? [] : ["'ja'"]),
  ];
}

const { body } = fc.letrec<{ body: string; node: string }>((tie) => ({
  body: fc.array(tie('node'), { minLength: 1, maxLength: 4 }).map((nodes) => nodes.join('')),
  node: fc.oneof(
    { depthSize: 'medium' },
    fc.constant('x'),
    expression.map((source) =>
      source.startsWith('(') ? `{{default ${source} ''}}` : `{{[${source}]}}`,
    ),
    expression.map((source) => `{{#if ${source}}}y{{/if}}`),
    fc.tuple(expression, tie('body')).map(([list, inner]) => `{{#each ${list}}}${inner}{{/each}}`),
    fc
      .tuple(expression, tie('body'))
      .map(([value, inner]) => `{{#with ${value}}}${inner}{{/with}}`),
    fc
      .tuple(path, fc.integer({ min: 1, max: 200 }))
      .map(([each, times]) => `{{${each}}}`.repeat(times)),
  ),
}));

const template = body.map((source) => {
  try {
    return parseTemplate(source);
  } catch {
    return undefined;
  }
});

/** Counts the characters of all created texts, printed or not. */
function countCharacters(run: () => void): number {
  let characters = 0;
  const restores = [
    count(String.prototype, 'toUpperCase'),
    count(String.prototype, 'toLowerCase'),
    count(Array.prototype, 'join'),
    count(JSON, 'stringify'),
  ];
  function count<Owner extends object>(owner: Owner, name: keyof Owner) {
    const original = owner[name] as (...args: unknown[]) => unknown;
    const counting = function (this: unknown, ...args: unknown[]) {
      const result = original.apply(this, args);
      if (typeof result === 'string') characters += result.length;
      return result;
    };
    owner[name] = counting as Owner[keyof Owner];
    return () => {
      owner[name] = original as Owner[keyof Owner];
    };
  }
  try {
    run();
  } finally {
    for (const restore of restores) restore();
  }
  return characters;
}

/** 4 characters per unit, as in `chargeText`; the keys of formatters are short. */
const maxCharacters = maxRenderUnits * 4;

describe('the budget of a message', () => {
  test(
    'limits every character that helpers create, before it is created, over several fields',
    () => {
      let exceeded = 0;
      fc.assert(
        fc.property(fc.array(template, { minLength: 1, maxLength: 5 }), data, (fields, input) => {
          const budget = createRenderBudget();
          let rendered: Rendered[] = [];
          const characters = countCharacters(() => {
            rendered = fields
              .filter((field) => field !== undefined)
              .map((field) => renderTemplate(field, input, { escape: escapeNothing, budget }));
          });
          expect(characters).toBeLessThanOrEqual(maxCharacters);
          const texts = rendered.map((each) => ('text' in each ? each.text.length : 0));
          // A printed character costs 2 units.
          expect(texts.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(
            maxRenderUnits / 2,
          );
          const failures = rendered.flatMap((each) => ('failed' in each ? [each.failed] : []));
          for (const failed of failures) expect(['too_long', 'too_complex']).toContain(failed);
          if (budget.units < 0) exceeded += 1;
          expect(failures.includes('too_complex')).toBe(budget.units < 0);
        }),
        runs,
      );
      // Most templates must be expensive, or this test would prove nothing.
      expect(exceeded).toBeGreaterThan(runs.numRuns / 10);
    },
    timeoutMs,
  );

  test.each(helperNames)('limits the characters that %s creates in a loop', (name) => {
    const args = Array(helpers[name].minArgs).fill('@root.value');
    const call = withFixedWords(name, args).join(' ');
    const loop = parseTemplate(`{{#each list}}{{#if (${name} ${call})}}{{/if}}{{/each}}`);
    const list = Array(20_000).fill(0);
    for (const value of ['ΐ'.repeat(50_000), '\u0001'.repeat(50_000), list, { list }, 12.5]) {
      const characters = countCharacters(() =>
        renderTemplate(loop, { list, value }, { escape: escapeNothing }),
      );
      expect(characters).toBeLessThanOrEqual(maxCharacters);
    }
  });

  test(
    'does not escape a text that is already too long',
    () => {
      fc.assert(
        fc.property(template, data, (field, input) => {
          if (!field) return;
          let longest = 0;
          const rendered = renderTemplate(field, input, {
            escape(value) {
              longest = Math.max(longest, value.length);
              return escapeHtml(value);
            },
          });
          expect(longest).toBeLessThanOrEqual(defaultMaxOutputCharacters);
          if ('text' in rendered) {
            expect(rendered.text.length).toBeLessThanOrEqual(defaultMaxOutputCharacters);
          }
        }),
        { numRuns: runs.numRuns / 2 },
      );
    },
    timeoutMs,
  );
});

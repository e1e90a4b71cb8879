import type { Data, Json } from '@belfry/shared';
import fc from 'fast-check';

/** Texts that are markup, delimiters or line ends in at least one message format. */
export const hostileTexts = [
  '👋',
  'é',
  'e\u0301',
  '\ud83d',
  'x\udc4b',
  '\u0000',
  'a\u0000b',
  '&',
  '&amp;',
  '&#60;b&#62;',
  '<b>',
  '</b></p><script>alert(1)</script>',
  '<br>',
  '<<b>1234</b>',
  '-->',
  ']]>',
  '<!channel>',
  '<!here|x>',
  '<@U0123456789>',
  '<#C0123456789>',
  '<https://evil.example|Sign in>',
  '|x>',
  '[Sign in](https://evil.example)',
  '![x](https://evil.example/i.png)',
  '*x* _x_ ~x~ `x`',
  '# x\n- x\n1. x\n===\n---',
  '> x',
  '@channel @here #general',
  'https://evil.example/?a=1&b=2#c',
  'javascript:alert(1)',
  ' java\tscript:alert(1)',
  'data:text/html,x',
  'tg://user?id=4242',
  '{{x}}',
  '{{{x}}}',
  '{{#each this}}',
  '{{1}}',
  '\\{{x}}',
  '\r\n',
  'a\r\nBcc: eve@evil.example\r\n\r\nx',
  'a\nb',
  'a\rb',
  'a\u2028b\u0085c',
  '\r\n.\r\nRCPT TO:<eve@evil.example>\r\n',
  '=?utf-8?q?=0D=0ABcc:_eve@evil.example?=',
  '"; filename="x.exe',
  '", <eve@evil.example>, "',
  '"',
  "'",
  'undefined',
  '"}, {"type": "divider"}',
  '$& $1 %s %0d%0a',
  'To=+15005550001&Body=x',
  '  a     b\t',
  '\u202e\u200b\ufeff',
  '../../etc/passwd',
  '__proto__',
  'a'.repeat(160),
  'a'.repeat(161),
  'é'.repeat(70),
  'é'.repeat(71),
];

/** Values that are not text. Data comes from JSON, but none of these may be shown in any case. */
const otherValues: unknown[] = [
  null,
  undefined,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  0,
  -0,
  1e21,
  false,
  true,
  [],
  {},
  ['<b>', null, { a: '{{x}}' }],
  { a: { b: ['<!channel>', 1] }, c: '"' },
];

export const hostileValues: unknown[] = [...hostileTexts, ...otherValues];

const text = fc.constantFrom(...hostileTexts);
const anyText = fc.oneof(text, fc.string({ unit: 'binary', maxLength: 8 }));

/** Combinations of the values, with any text between them. */
export const anyHostileValue: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(anyText, { minLength: 2, maxLength: 4 }).map((all) => all.join('')),
  },
  { weight: 1, arbitrary: fc.constantFrom(...otherValues) },
  { weight: 1, arbitrary: fc.array(fc.oneof(anyText, fc.constantFrom(null, 0)), { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(text, anyText, { maxKeys: 2 }) },
);

/** Puts the value wherever a template might look for data. */
export function dataWith(value: unknown): Data {
  // Includes values that JSON cannot hold, to check that they are never shown.
  return { v: value as Json, x: leaked, b: leaked };
}

/** If this is shown, a value was parsed as a template. */
const leaked = 'LEAKED';

/** A value that needs no escaping; it shows where a message prints values. */
export const benignValue = 'Benign';

/** The text that a placeholder should show to a person. */
export function printed(value: unknown): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '';
  if (value === Number.POSITIVE_INFINITY) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return Buffer.from(text, 'utf8').toString('utf8').replaceAll('\u0000', '');
}

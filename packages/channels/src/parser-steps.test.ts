import { isFullRun, type StepCounter, startStepCounter } from '@belfry/testing';
import type { AnyChannel } from './channel';
import type * as Address from './email/address';
import type * as Header from './email/header-value';
import { hostileCases } from './hostile-cases.fixture';
import type * as Phone from './phone-number';
import type * as Host from './public-address';
import type * as Redaction from './redact';
import type * as Registry from './registry';
import type * as Signature from './twilio/signature';

// Counting makes code several hundred times slower.
jest.setTimeout(120_000);

type Read = (text: string) => unknown;

let steps: StepCounter;
let channels: typeof Registry.channels;
let functions: Record<string, Read>;

// Modules loaded before the counter starts are not counted.
beforeAll(() => {
  jest.resetModules();
  steps = startStepCounter();
  channels = jest.requireActual<typeof Registry>('./registry').channels;
  functions = loadFunctions();
});
afterAll(() => steps.stop());

/** The repeated part. */
const pieces = [
  ...[
    'a',
    ' ',
    '\n',
    '0',
    '/',
    '@',
    '=',
    '"',
    '"\\',
    '<',
    '<>',
    '&',
    '*',
    '`',
    '[',
    '(0)',
    '+',
    'é ',
    '\ufdfa',
  ],
  ...[
    'a@b.',
    '<b>',
    '<b></b>',
    '<br>',
    '<p>',
    '<!--',
    '<a href="',
    "<a b='",
    '<x|',
    '{{a}}',
    '{{!',
    '{{[a]}}',
  ],
  ...[
    '{{~a~}} ',
    '{{#if a}}',
    '{{#if a}}\n{{else}}\n{{/if}}\n',
    '{"a":',
    '"a",',
    " doesn't match ",
    'b{{! c }}b{{a}}',
  ],
];

/** The text around it: patterns backtrack when the end does not match. */
const frames = [
  ['', ''],
  ['é', '!\u0000\n'],
  ['<a href="', '">x</a>'],
  ['{{#[', ']}}x{{/a}}'],
] as const;

/** Every piece is in every other frame, each frame around every other piece; in the full run, all are in all. */
const texts = pieces.flatMap((piece, index) =>
  frames
    .filter((_, frame) => isFullRun() || (frame + index) % 2 === 0)
    .map(([before, after]) => ({
      name: JSON.stringify([before, piece, after]),
      repeat: (times: number) => before + piece.repeat(times) + after,
    })),
);

const fields: [string, (text: string) => [keyof typeof Registry.channels, object]][] = [
  ['HTML of an e-mail', (html) => ['email', { subject: 'a', html }]],
  ['header of an e-mail', (text) => ['email', { subject: 'a', headers: { 'List-Id': text } }]],
  ['text of Slack', (text) => ['slack', { text }]],
  ['blocks of Slack', (blocks) => ['slack', { blocks }]],
  [
    'block of markdown',
    (text) => ['slack', { blocks: JSON.stringify([{ type: 'markdown', text }]) }],
  ],
  ['text of an SMS', (text) => ['sms', { text }]],
  ['text of Telegram', (text) => ['telegram', { text }]],
];
// The part before the slash is the channel's name. Only it and the template matter here: the providers of a channel share them.
const cases = new Map(
  hostileCases.map(({ provider, what, template }) => {
    const name = provider.split('/')[0] as keyof typeof channels;
    return [JSON.stringify([name, template]), { name, what, template }];
  }),
);
// A library counts the segments of an SMS, and gets at most 1,600 characters.
const composedCases = [...cases.values()].filter(({ name }) => name !== 'sms');

describe('a text ten times as long takes about ten times the steps', () => {
  test.each(fields)('as a template: %s', (_field, createTemplate) => {
    const compile: Read = (text) => {
      const [name, template] = createTemplate(text);
      return compileIn(name, template);
    };
    expect(steps.findSuperlinear(compile, texts)).toEqual([]);
  });

  test.each(composedCases)('as a value: $name, $what', ({ name, template }) => {
    const compiled = compileIn(name, template);
    const compose: Read = (v) =>
      compiled.compose({
        data: { v },
        target: 'x',
        override: undefined,
        missing: 'empty',
        isSensitive: false,
      });
    expect(steps.findSuperlinear(compose, texts)).toEqual([]);
  });

  test.each([
    'parseEmailAddress',
    'parsePhoneNumber',
    'isPublicAddress',
    'isSignedBy',
    'redact',
    'encodeHeaderValue',
  ])('in %s', (name) => {
    const read: Read = (text) => functions[name]?.(text);
    expect(steps.findSuperlinear(read, texts)).toEqual([]);
  });
});

function compileIn(name: keyof typeof channels, template: unknown) {
  const channel: AnyChannel = channels[name];
  return channel.compile(template);
}

/** One field per character, each with its own name. */
function numberWords(text: string): string {
  return [...text].map((_, index) => `a${index}=b`).join('&');
}

/** Other functions that read untrusted text. */
function loadFunctions(): Record<string, Read> {
  const { parseEmailAddress } = jest.requireActual<typeof Address>('./email/address');
  const { parsePhoneNumber } = jest.requireActual<typeof Phone>('./phone-number');
  const { isPublicAddress } = jest.requireActual<typeof Host>('./public-address');
  const { isSignedBy } = jest.requireActual<typeof Signature>('./twilio/signature');
  const { encodeHeaderValue } = jest.requireActual<typeof Header>('./email/header-value');
  const { redact } = jest.requireActual<typeof Redaction>('./redact');
  return {
    parseEmailAddress,
    parsePhoneNumber,
    isPublicAddress,
    isSignedBy: (text) =>
      isSignedBy(
        'token',
        { url: `https://x.example/?${text}`, headers: { 'x-twilio-signature': text } },
        new URLSearchParams(numberWords(text)),
      ),
    redact: (text) => redact(text, ['aaaa', '<b><b>']),
    encodeHeaderValue: (text) => encodeHeaderValue(`é${text}é`),
  };
}

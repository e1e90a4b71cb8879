import fc from 'fast-check';
import { findChannel } from './wire.fixture';

const x = (characters: number) => 'x'.repeat(characters);
const section = (text: string) =>
  JSON.stringify([{ type: 'section', text: { type: 'mrkdwn', text } }]);
const approved = (changes: object) => ({
  template: { name: 'a', language: 'en', ...changes },
});

/** A template at the limit, the same with one character more, and the start of the error. */
const limits: [what: string, (size: number) => object, number, string][] = [
  ['sms: text', (size) => ({ text: x(size) }), 1_600, 'text: '],
  ['sms: text with a value', (size) => ({ text: `${x(size)}{{v}}` }), 1_600, 'text: '],
  ['telegram: text', (size) => ({ text: x(size) }), 4_096, 'text: '],
  [
    'telegram: text with its entities decoded',
    (size) => ({ text: `<b>&amp;</b><a href="https://x.example/">${x(size - 1)}</a>` }),
    4_096,
    'text: ',
  ],
  ['whatsapp: text', (size) => ({ text: x(size) }), 4_096, 'text: '],
  [
    'whatsapp: all parameters together',
    (size) => approved({ parameters: [{ value: x(size) }] }),
    1_024,
    'template.body: ',
  ],
  [
    'whatsapp: header',
    (size) => approved({ header: { kind: 'text', value: x(size) } }),
    60,
    'template.header: ',
  ],
  [
    'whatsapp: button',
    (size) => approved({ buttons: [{ index: 1, kind: 'copy_code', value: x(size) }] }),
    20,
    'template.buttons[0]: ',
  ],
  ['slack: text', (size) => ({ text: x(size) }), 40_000, 'text: '],
  ['slack: section', (size) => ({ blocks: section(x(size)) }), 3_000, 'blocks[0].text.text: '],
  // `title` and the notification ID with its key count.
  ['push: title', (size) => ({ title: x(size - 62) }), 4_096, 'The message: '],
  ['onesignal: data', (size) => ({ title: 'a', data: { k: x(size - 8) } }), 2_048, 'data: '],
  ['in_app: title', (size) => ({ title: x(size) }), 200, 'title: '],
  ['in_app: body', (size) => ({ body: x(size) }), 4_000, 'body: '],
];

describe('the fixed text of a template is checked on save:', () => {
  test.each(limits)('%s', (what, create, limit, start) => {
    const { compile } = findChannel(what.replace(/:.*/, ''));
    expect(compile(create(limit))).toHaveProperty('paths');
    expect(() => compile(create(limit + 1))).toThrow(
      expect.objectContaining({
        name: 'TemplateError',
        message: expect.stringMatching(
          new RegExp(`^${start.replace(/[.[\]]/g, '\\$&')}.*${limit + 1}.*${limit}`),
        ),
      }),
    );
  });

  test('SMS of 3,000 characters', () => {
    expect(() => findChannel('sms').compile({ text: x(3_000) })).toThrow(
      'text: 3000 characters; the limit is 1600.',
    );
  });

  test('text that only some values show does not count', () => {
    const text = `{{#if a}}${x(1_600)}{{else}}${x(1_600)}{{/if}}{{#each b}}${x(1_600)}{{/each}}x`;
    expect(findChannel('sms').compile({ text })).toHaveProperty('paths');
  });
});

test('accepts a template whose message fits with at least one value', () => {
  const { compile } = findChannel('sms');
  const piece = fc.oneof(
    fc.string({ maxLength: 600 }).filter((text) => !/[{}\\]/.test(text)),
    fc.constantFrom('{{v}}', '{{#if v}}a{{/if}}', '{{#each v}}b{{/each}}', '\r', '\n'),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), fc.string(), (pieces, v) => {
      const text = pieces.join('');
      const values = [v, ''].map((value) => text.replaceAll('{{v}}', value));
      fc.pre(values.some((value) => value.replace(/\{\{.*?\}\}/g, '').length <= 1_600));
      expect(compile({ text })).toHaveProperty('paths');
    }),
  );
});

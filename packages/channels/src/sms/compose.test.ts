import type { Data } from '@belfry/shared';
import fc from 'fast-check';
import { SegmentedMessage } from 'sms-segments-calculator';
import { sms } from './channel';
import { describeEncoding, toPlainCharacters } from './encoding';
import type { SmsOverride, SmsTemplate } from './template';

function compose(
  template: SmsTemplate | string,
  { data = {}, override }: { data?: Data; override?: SmsOverride } = {},
) {
  const templateFields = typeof template === 'string' ? { text: template } : template;
  const input = {
    data,
    target: '+4512345678',
    override,
    missing: 'empty',
    isSensitive: false,
  } as const;
  return sms.compile(templateFields).compose(input);
}

describe('the text of an SMS', () => {
  test.each<[string, string, Data, string]>([
    ['sendgrid/sendgrid-nodejs#741', 'Hi {{v}}', { v: 'Escape & work' }, 'Hi Escape & work'],
    ['firebase/extensions#69', 'Hi {{v}}', { v: "Jack o'neill <b>" }, "Hi Jack o'neill <b>"],
    ['novuhq/novu#2797', '{{v}}', { v: '&amp; "x" &#39;' }, '&amp; "x" &#39;'],
    ['novuhq/novu#1496', 'Code {{user.code}}', { user: { code: 1234 } }, 'Code 1234'],
    ['nocobase/nocobase#6164', 'Hi {{v}}', { v: '{{name}}' }, 'Hi {{name}}'],
    ['maizzle/framework#1200', 'Hi {{v}}!', {}, 'Hi !'],
    ['null', 'Hi {{v}}!', { v: null }, 'Hi !'],
    ['zero and false', '{{a}} {{b}}', { a: 0, b: false }, '0 false'],
    ['an object', '{{v}}', { v: { a: 1 } }, '{"a":1}'],
    ['triple braces', '{{{v}}}', { v: '<b>' }, '<b>'],
    ['NUL', 'a{{v}}b', { v: '\0' }, 'ab'],
    ['TwilioDevEd/message-segment-calculator#66', 'a\r\nb\rc{{v}}', { v: '\r\n' }, 'a\nb\nc\n'],
    ['half a character', 'a {{v}}', { v: '\ud83d' }, 'a \ufffd'],
  ])('is the template with its values, unescaped: %s', (_report, template, data, text) => {
    expect(compose(template, { data })).toMatchObject({ content: { text } });
  });

  test('is refused over 1,600 characters, and the detail names the limit', () => {
    expect(compose('a'.repeat(1_600))).toHaveProperty('content');
    expect(compose('{{v}}', { data: { v: 'a'.repeat(1_601) } })).toEqual({
      failed: 'too_long',
      detail: 'text: 1601 characters; the limit is 1600.',
    });
  });

  test.each(['', '  \n', '{{v}}'])('is refused when it is blank: %j', (template) => {
    expect(compose(template)).toEqual({ failed: 'empty_content', detail: 'The text is empty.' });
  });

  test('keeps typographic characters unless the template asks for plain ones (SparkDevNetwork/Rock#6505)', () => {
    const text = 'It’s “{{v}}” – here…';
    expect(compose(text, { data: { v: 'Ω' } })).toMatchObject({
      content: { text: 'It’s “Ω” – here…' },
      notes: { encoding: 'UCS-2' },
    });
    expect(compose({ text, plain_characters: true }, { data: { v: 'Ω' } })).toMatchObject({
      content: { text: 'It\'s "Ω" - here...' },
      notes: { encoding: 'GSM-7', segments: 1 },
    });
  });
});

describe('the override of an SMS', () => {
  test('replaces the template’s text, literally', () => {
    const override = { message: { text: 'Own {{v}}\r\n' } };
    expect(compose('Hi {{v}}', { override })).toMatchObject({
      content: { text: 'Own {{v}}\n' },
      missing: [],
    });
  });

  test.each<[SmsOverride]>([[{}], [{ message: {} }], [{ message: { text: '' }, sender: ' ' }]])(
    'is ignored when it is blank: %j',
    (override) => {
      expect(compose('Hi', { override })).toMatchObject({ content: { text: 'Hi' } });
      expect(compose('Hi', { override })).not.toHaveProperty('content.sender');
    },
  );

  test('has the same limit', () => {
    const override = { message: { text: 'a'.repeat(1_601) } };
    expect(compose('Hi', { override })).toMatchObject({ failed: 'too_long' });
  });

  test.each<[SmsOverride, string]>([
    [{ sender: 'Acme' }, 'Acme'],
    [{ message: { sender: 'Acme' } }, 'Acme'],
    [{ sender: ' Acme ', message: { sender: 'Other' } }, 'Acme'],
  ])('sets the sender: %j', (override, sender) => {
    expect(compose('Hi', { override })).toMatchObject({ content: { sender } });
  });
});

describe('the notes on an SMS', () => {
  test.each<[string, string, [string, number, string?]]>([
    ['160 of GSM-7', 'a'.repeat(160), ['GSM-7', 1]],
    ['161 of GSM-7', 'a'.repeat(161), ['GSM-7', 2]],
    ['306 of GSM-7', 'a'.repeat(306), ['GSM-7', 2]],
    ['307 of GSM-7', 'a'.repeat(307), ['GSM-7', 3]],
    ['70 of UCS-2', 'ж'.repeat(70), ['UCS-2', 1, 'ж (U+0436)']],
    ['71 of UCS-2', 'ж'.repeat(71), ['UCS-2', 2, 'ж (U+0436)']],
    ['extension characters', '€'.repeat(81), ['GSM-7', 2]],
    ['é as one character', 'é', ['GSM-7', 1]],
    ['é as two characters', 'e\u0301', ['UCS-2', 1, 'e\u0301 (U+0065 U+0301)']],
    ['an emoji', 'Hi 👋', ['UCS-2', 1, '👋 (U+1F44B)']],
    ['a curly quote', 'It’s', ['UCS-2', 1, '’ (U+2019)']],
    ['a no-break space', 'a\u00a0b', ['UCS-2', 1, '\u00a0 (U+00A0)']],
    ['a backtick', '`', ['UCS-2', 1, '` (U+0060)']],
    [
      'TwilioDevEd/message-segment-calculator#18',
      `${'a'.repeat(82)}]👋`,
      ['UCS-2', 2, '👋 (U+1F44B)'],
    ],
    [
      'TwilioDevEd/message-segment-calculator#66',
      `${'a'.repeat(80)}\r\n${'a'.repeat(79)}`,
      ['GSM-7', 1],
    ],
  ])(
    'contain encoding, segments and the character that forced Unicode: %s',
    (_case, text, [encoding, segments, cause]) => {
      expect(compose(text)).toHaveProperty('notes', {
        encoding,
        segments,
        ...(cause ? { unicode_because_of: cause } : {}),
      });
    },
  );

  const character = fc.oneof(
    fc.constantFrom(...'aZ09 @£Δ\n€^{}[]~|\\\f`’“жé漢👋'),
    fc.constantFrom('e\u0301', '🇩🇪', '👩‍👩‍👧', '👍🏽'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  );
  const gsm = fc.constantFrom(...'abc XYZ 0129 @£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ^{}[]~|\\€\f');

  test.each([
    ['GSM-7', gsm],
    ['any character', character],
  ])('match Twilio’s calculator: %s', (_name, unit) => {
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 350 }), (text) => {
        const calculated = new SegmentedMessage(text, 'auto');
        const [cause] = calculated.getNonGsmCharacters();
        const notes = describeEncoding(text);
        expect(notes).toMatchObject({
          encoding: calculated.encodingName,
          segments: calculated.segmentsCount,
        });
        expect(notes['unicode_because_of']?.toString().startsWith(cause ?? '')).toBe(
          calculated.encodingName === 'UCS-2' ? true : undefined,
        );
        const plain = new SegmentedMessage(text, 'auto', true).graphemes.join('');
        expect(toPlainCharacters(text)).toBe(plain);
      }),
      { numRuns: 100 },
    );
  });
});

describe('the target of an SMS', () => {
  test.each([
    ['4520123456', { targets: [{ address: '+4520123456', note: expect.any(String) }] }],
    ['+4512345678', { targets: [{ address: '+4512345678' }] }],
    [undefined, { skip: 'no_address' }],
    [' ', { skip: 'no_address' }],
    [
      '07911 123456',
      {
        skip: 'invalid_address',
        detail: 'mobile "07911 123456" is not a valid phone number: country code missing.',
      },
    ],
  ])('for the mobile %j', (mobile, expected) => {
    expect(sms.findTargets(mobile === undefined ? {} : { mobile })).toMatchObject(expected);
  });

  test('is the mobile, and never the WhatsApp number', () => {
    expect(sms.findTargets({ whatsappMobile: '+4512345678' })).toMatchObject({
      skip: 'no_address',
    });
  });
});

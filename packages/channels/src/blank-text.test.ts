import { isBlank } from '@belfry/shared';
import { closers } from './provider-subject.fixture';
import { findChannel, sendTemplate } from './wire.fixture';

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const invisible = [
  ['white space', ' \t\n\u00a0\u2003\u3000'],
  ['U+200B zero width space', '\u200b'],
  ['U+200C and U+200D alone', '\u200c\u200d'],
  ['U+2060 word joiner', '\u2060'],
  ['U+FEFF', '\ufeff'],
  ['U+00AD soft hyphen', '\u00ad'],
  ['Hangul fillers', '\u3164\u115f\u1160\uffa0'],
  ['U+180E', '\u180e'],
  ['variation selectors alone', '\ufe0f\u{e0100}'],
  ['tags', '\u{e0062}\u{e007f}'],
  ['U+2800 Braille blank', '\u2800'],
  ['directional marks', '\u202e\u2066\u061c'],
  ['control characters', '\u0001\u0085'],
  ['U+FFF9 to U+FFFB', '\ufff9\ufffa\ufffb'],
] as const;

test.each(invisible)('%s is blank', (_name, text) => {
  expect(isBlank(text)).toBe(true);
  expect(isBlank(`${text}.`)).toBe(false);
});

test.each(['👩‍👩‍👧', '1️⃣', '🏴\u{e0067}\u{e0062}\u{e007f}', '❤️', 'א\u200f', '\u0301', '⠁', '0'])(
  '%j is not blank',
  (text) => {
    expect(isBlank(text)).toBe(false);
  },
);

/** One or more templates per channel whose only text is `{{v}}`. */
const templates: Record<string, object[]> = {
  'email/smtp': [
    { subject: '{{v}}', text: 'x' },
    { subject: 'x', text: '{{v}}' },
    { subject: 'x', html: '<p>{{v}}</p>' },
    { subject: 'x', html: '<p>&#8203;&zwnj;{{v}}</p>' },
  ],
  'slack/slack': [
    { text: '{{v}}' },
    {
      blocks: JSON.stringify([
        { type: 'header', text: { type: 'plain_text', text: '{{v}}' } },
        { type: 'divider' },
      ]),
    },
    {
      blocks: JSON.stringify([
        {
          type: 'rich_text',
          elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: '{{v}}' }] }],
        },
      ]),
    },
  ],
  'sms/twilio': [{ text: '{{v}}' }],
  'whatsapp/meta': [
    { text: '{{v}}' },
    { template: { name: 'a', language: 'en', parameters: [{ value: '{{v}}' }] } },
  ],
  'whatsapp/twilio': [{ text: '{{v}}' }],
  'telegram/telegram': [{ text: '{{v}}' }, { text: '<b>&#8203;{{v}}</b>' }],
  'push/fcm': [{ title: '{{v}}', body: '{{v}}' }],
  'onesignal/onesignal': [{ title: '{{v}}', body: '{{v}}' }],
  'in_app/inbox': [{ title: '{{v}}', body: '{{v}}' }],
};
const cases = Object.entries(templates).flatMap(([provider, list]) =>
  list.map((template) => [provider, JSON.stringify(template), template] as const),
);

describe.each(cases)('%s with %s', (provider, _template, template) => {
  test.each(invisible)('fails as empty content for %s', (_name, v) => {
    const compiled = findChannel(provider).compile(template);
    const input = {
      target: 'x',
      override: undefined,
      missing: 'empty',
      isSensitive: false,
    } as const;
    expect(compiled.compose({ ...input, data: { v } })).toMatchObject({ failed: 'empty_content' });
    expect(compiled.compose({ ...input, data: { v: '👩‍👩‍👧' } })).toHaveProperty('content');
  });
});

test('a blank override is ignored', async () => {
  const override = { message: { text: '\u200b' } };
  for (const provider of ['sms/twilio', 'whatsapp/meta', 'telegram/telegram', 'slack/slack']) {
    const { composed } = await sendTemplate(provider, { text: 'T' }, { override });
    expect(composed).toMatchObject({ content: { text: 'T' } });
  }
});

test('a blank title is left out of the request', async () => {
  const template = { title: '{{v}}', body: 'Hello' };
  const { body: onesignal } = await sendTemplate('onesignal/onesignal', template, {
    data: { v: '\u200b' },
  });
  expect(onesignal).toMatchObject({ contents: { en: 'Hello' } });
  expect(onesignal).not.toHaveProperty('headings');
  const { body: push } = await sendTemplate('push/fcm', template, { data: { v: '\u2060' } });
  expect(push).toHaveProperty('message.notification', { body: 'Hello' });
});

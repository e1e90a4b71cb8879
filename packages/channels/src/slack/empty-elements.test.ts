import type { Data, Json } from '@belfry/shared';
import { closers } from '../provider-subject.fixture';
import { findChannel, sendTemplate } from '../wire.fixture';

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const plain = (text: string): Json => ({ type: 'plain_text', text });
const mrkdwn = (text: string): Json => ({ type: 'mrkdwn', text });
const section = (text: string): Json => ({ type: 'section', text: mrkdwn(text) });
const option = (text: string, more: object = {}): Json => ({
  text: plain(text),
  value: 'v',
  ...more,
});
const actions = (...elements: Json[]): Json => ({ type: 'actions', elements });
const richText = (...elements: Json[]): Json => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements }],
});
const keptSection = section('kept');

const send = (blocks: Json[], data: Data = {}) =>
  sendTemplate('slack/slack', { text: 'T', blocks: JSON.stringify(blocks) }, { data });

describe('an element that a value leaves empty is left out:', () => {
  test.each<[string, Json[], Json[]]>([
    ['a section', [keptSection, section('{{v}}')], [keptSection]],
    ['a header', [keptSection, { type: 'header', text: plain(' {{v}}') }], [keptSection]],
    ['a markdown block', [keptSection, { type: 'markdown', text: '{{v}}' }], [keptSection]],
    [
      'a field',
      [{ type: 'section', fields: [mrkdwn('{{v}}'), mrkdwn('a')] }],
      [{ type: 'section', fields: [mrkdwn('a')] }],
    ],
    [
      'the text of a section beside fields',
      [{ type: 'section', text: mrkdwn('{{v}}'), fields: [mrkdwn('a')] }],
      [{ type: 'section', fields: [mrkdwn('a')] }],
    ],
    [
      'an element of a context',
      [{ type: 'context', elements: [mrkdwn('{{v}}'), mrkdwn('a')] }],
      [{ type: 'context', elements: [mrkdwn('a')] }],
    ],
    [
      'a picture without URL in a context',
      [
        {
          type: 'context',
          elements: [{ type: 'image', image_url: '{{v}}', alt_text: 'Ana' }, mrkdwn('a')],
        },
      ],
      [{ type: 'context', elements: [mrkdwn('a')] }],
    ],
    ['a context', [keptSection, { type: 'context', elements: [mrkdwn('{{v}}')] }], [keptSection]],
    [
      'an option',
      [actions({ type: 'static_select', options: [option('{{v}}'), option('a')] })],
      [actions({ type: 'static_select', options: [option('a')] })],
    ],
    [
      'an option of an overflow menu',
      [actions({ type: 'overflow', options: [option('{{v}}'), option('a')] })],
      [actions({ type: 'overflow', options: [option('a')] })],
    ],
    [
      'a group of options',
      [
        actions({
          type: 'static_select',
          option_groups: [
            { label: plain('a'), options: [option('{{v}}')] },
            { label: plain('b'), options: [option('b')] },
          ],
        }),
      ],
      [
        actions({
          type: 'static_select',
          option_groups: [{ label: plain('b'), options: [option('b')] }],
        }),
      ],
    ],
    [
      'an optional member',
      [
        actions({ type: 'button', text: plain('a'), value: '{{v}}', accessibility_label: '{{v}}' }),
        { type: 'image', image_url: 'https://x.example/', alt_text: 'a', title: plain('{{v}}') },
        actions({
          type: 'static_select',
          placeholder: plain('{{v}}'),
          options: [option('a', { description: plain('{{v}}') })],
        }),
      ],
      [
        actions({ type: 'button', text: plain('a') }),
        { type: 'image', image_url: 'https://x.example/', alt_text: 'a' },
        actions({ type: 'static_select', options: [option('a')] }),
      ],
    ],
    ['an empty rich text', [keptSection, richText({ type: 'text', text: '{{v}}' })], [keptSection]],
    [
      'a text of a rich text, unless it is a space',
      [
        richText(
          { type: 'text', text: '{{v}}' },
          { type: 'text', text: ' ' },
          { type: 'text', text: 'a' },
        ),
      ],
      [richText({ type: 'text', text: ' ' }, { type: 'text', text: 'a' })],
    ],
    [
      'an item of a list',
      [
        {
          type: 'rich_text',
          elements: [
            {
              type: 'rich_text_list',
              style: 'bullet',
              elements: ['a', '{{v}}'].map((text) => ({
                type: 'rich_text_section',
                elements: [{ type: 'text', text }],
              })),
            },
          ],
        },
      ],
      [
        {
          type: 'rich_text',
          elements: [
            {
              type: 'rich_text_list',
              style: 'bullet',
              elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'a' }] }],
            },
          ],
        },
      ],
    ],
    [
      'the address of a link in rich text, whose label stays',
      [richText({ type: 'link', url: '{{v}}', text: 'docs', style: { bold: true } })],
      [richText({ type: 'text', text: 'docs', style: { bold: true } })],
    ],
    [
      'the label of a link in rich text',
      [richText({ type: 'link', url: 'https://x.example/', text: '{{v}}' })],
      [richText({ type: 'link', url: 'https://x.example/' })],
    ],
    ['the address of a link', [section('a <{{v}}|docs>.')], [section('a docs.')]],
    ['a link that is only a scheme', [section('a <https://{{v}}|docs>.')], [section('a docs.')]],
    ['a link without label', [section('a <{{v}}>.')], [section('a .')]],
    ['a mention', [section('a <@{{v}}>.')], [section('a .')]],
  ])('%s', async (_what, blocks, expected) => {
    // A text in rich text is left out only when it has no character, because it may be the space
    // between two others. In an address or an identifier, a blank value is not text either.
    const isText = !/rich_text|<https|<@/.test(JSON.stringify(blocks));
    for (const v of [null, '', ...(isText ? ['\u200b'] : [])]) {
      const { body } = await send(blocks, { v });
      expect(body?.['blocks']).toEqual(expected);
    }
  });

  test('a link in text with an empty address becomes its label', async () => {
    const { body } = await sendTemplate('slack/slack', { text: 'See <{{v}}|the docs>' });
    expect(body?.['text']).toBe('See the docs');
  });
});

describe('the message fails before the call, and names the missing element:', () => {
  test.each<[string, Json, string]>([
    [
      'the text of a button',
      actions({ type: 'button', text: plain('{{v}}') }),
      'blocks[0].elements[0].text',
    ],
    [
      'the URL of a button',
      actions(
        { type: 'button', text: plain('a') },
        { type: 'button', text: plain('b'), url: '{{v}}' },
      ),
      'blocks[0].elements[1].url',
    ],
    [
      'a relative URL of a button',
      actions({ type: 'button', text: plain('b'), url: '{{base}}/orders' }),
      'blocks[0].elements[0].url',
    ],
    [
      'the URL of an option',
      actions({ type: 'overflow', options: [option('a', { url: '{{v}}' })] }),
      'blocks[0].elements[0].options[0].url',
    ],
    [
      'the value of an option',
      actions({ type: 'overflow', options: [{ text: plain('a'), value: '{{v}}' }] }),
      'blocks[0].elements[0].options[0].value',
    ],
    [
      'the URL of an image',
      { type: 'image', image_url: '{{v}}', alt_text: 'a' },
      'blocks[0].image_url',
    ],
    [
      'the alternative text of an image',
      { type: 'image', image_url: 'https://x.example/', alt_text: '{{v}}' },
      'blocks[0].alt_text',
    ],
    [
      'the image of a section',
      {
        type: 'section',
        text: mrkdwn('a'),
        accessory: { type: 'image', image_url: '{{v}}', alt_text: 'a' },
      },
      'blocks[0].accessory.image_url',
    ],
    [
      'the text of a section with a button',
      { type: 'section', text: mrkdwn('{{v}}'), accessory: { type: 'button', text: plain('a') } },
      'blocks[0].text',
    ],
    [
      'every option of a select',
      actions({ type: 'static_select', options: [option('{{v}}')] }),
      'blocks[0].elements[0].options',
    ],
    [
      'every option of an overflow menu',
      actions({ type: 'overflow', options: [option('{{v}}')] }),
      'blocks[0].elements[0].options',
    ],
    [
      'the text of a confirmation',
      actions({
        type: 'button',
        text: plain('a'),
        confirm: { title: plain('a'), text: plain('{{v}}') },
      }),
      'blocks[0].elements[0].confirm.text',
    ],
  ])('%s', async (_what, block, path) => {
    for (const v of [null, '', '\u200b']) {
      const { composed, body } = await send([block], { v });
      expect(composed).toEqual({
        failed: 'rejected_content',
        detail: expect.stringContaining(`${path}: `),
      });
      expect(body).toBeUndefined();
    }
  });
});

const many = (count: number, item: Json) => Array.from({ length: count }, () => item);
const long = (characters: number) => 'x'.repeat(characters);

describe('each Block Kit limit is checked on save and before the call:', () => {
  test.each<[path: string, limit: number, (size: number, text: (n: number) => string) => Json]>([
    ['blocks[0].text.text', 3_000, (n, text) => section(text(n))],
    ['blocks[0].text.text', 150, (n, text) => ({ type: 'header', text: plain(text(n)) })],
    [
      'blocks[0].fields[0].text',
      2_000,
      (n, text) => ({ type: 'section', fields: [mrkdwn(text(n))] }),
    ],
    ['blocks[0].fields', 10, (n) => ({ type: 'section', fields: many(n, mrkdwn('a')) })],
    ['blocks[0].elements', 10, (n) => ({ type: 'context', elements: many(n, mrkdwn('a')) })],
    ['blocks[0].elements', 25, (n) => actions(...many(n, { type: 'button', text: plain('a') }))],
    [
      'blocks[0].elements[0].text.text',
      75,
      (n, text) => actions({ type: 'button', text: plain(text(n)) }),
    ],
    [
      'blocks[0].elements[0].url',
      3_000,
      (n, text) =>
        actions({ type: 'button', text: plain('a'), url: `https://x.example/${text(n - 18)}` }),
    ],
    [
      'blocks[0].elements[0].value',
      2_000,
      (n, text) => actions({ type: 'button', text: plain('a'), value: text(n) }),
    ],
    [
      'blocks[0].elements[0].options',
      5,
      (n) => actions({ type: 'overflow', options: many(n, option('a')) }),
    ],
    [
      'blocks[0].elements[0].options',
      100,
      (n) => actions({ type: 'static_select', options: many(n, option('a')) }),
    ],
    [
      'blocks[0].elements[0].options',
      10,
      (n) => actions({ type: 'radio_buttons', options: many(n, option('a')) }),
    ],
    [
      'blocks[0].elements[0].options[0].text.text',
      75,
      (n, text) => actions({ type: 'static_select', options: [option(text(n))] }),
    ],
    [
      'blocks[0].elements[0].options[0].value',
      150,
      (n, text) => actions({ type: 'static_select', options: [option('a', { value: text(n) })] }),
    ],
    [
      'blocks[0].elements[0].placeholder.text',
      150,
      (n, text) =>
        actions({ type: 'static_select', placeholder: plain(text(n)), options: [option('a')] }),
    ],
    [
      'blocks[0].elements[0].confirm.text.text',
      300,
      (n, text) => actions({ type: 'button', text: plain('a'), confirm: { text: plain(text(n)) } }),
    ],
    [
      'blocks[0].alt_text',
      2_000,
      (n, text) => ({ type: 'image', image_url: 'https://x.example/', alt_text: text(n) }),
    ],
    ['blocks[0].text', 12_000, (n, text) => ({ type: 'markdown', text: text(n) })],
    ['blocks[0].block_id', 255, (n, text) => ({ type: 'divider', block_id: text(n) })],
  ])('%s, %i', (path, limit, create) => {
    const { compile } = findChannel('slack');
    const template = (block: Json) => ({ text: 'T', blocks: JSON.stringify([block]) });
    const problem = new RegExp(
      `^${path.replace(/[.[\]]/g, '\\$&')}: ${limit + 1} .*limit is ${limit}\\.$`,
    );
    expect(compile(template(create(limit, long)))).toHaveProperty('paths');
    expect(() => compile(template(create(limit + 1, long)))).toThrow(problem);
    const dynamic = template(create(limit + 1, () => '{{v}}'));
    if (!dynamic.blocks.includes('{{v}}')) return;
    const compose = (size: number) =>
      compile(dynamic).compose({
        data: { v: long(path.endsWith('.url') ? size - 18 : size) },
        target: 'C0123456789',
        override: undefined,
        missing: 'empty',
        isSensitive: false,
      });
    expect(compose(limit)).toHaveProperty('content');
    expect(compose(limit + 1)).toEqual({
      failed: 'too_long',
      detail: expect.stringMatching(problem),
    });
  });
});

describe('a template is refused on save', () => {
  test.each<[string, Json, string]>([
    ['a button without text', actions({ type: 'button' }), 'blocks[0].elements[0].text: '],
    [
      'an image without alt_text',
      { type: 'image', image_url: 'https://x.example/' },
      'blocks[0].alt_text: ',
    ],
    ['a context without elements', { type: 'context', elements: [] }, 'blocks[0].elements: '],
    [
      'an option without value',
      actions({ type: 'overflow', options: [{ text: plain('a') }] }),
      'blocks[0].elements[0].options[0].value: ',
    ],
    [
      'a relative URL',
      actions({ type: 'button', text: plain('a'), url: '/orders' }),
      'blocks[0].elements[0].url: ',
    ],
  ])('for %s', (_what, block, start) => {
    const template = { text: 'T', blocks: JSON.stringify([block]) };
    expect(() => findChannel('slack').compile(template)).toThrow(
      expect.objectContaining({ name: 'TemplateError', message: expect.stringContaining(start) }),
    );
  });
});

test('blocks and elements of unknown types are sent unchanged', async () => {
  const blocks = [
    { type: 'new_block', text: '', elements: [] },
    {
      type: 'actions',
      elements: [{ type: 'new_element', text: { type: 'plain_text', text: '' } }],
    },
  ];
  const { body } = await send(blocks);
  expect(body?.['blocks']).toEqual(blocks);
});

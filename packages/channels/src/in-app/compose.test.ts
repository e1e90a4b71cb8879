import { type Data, type Recipient, TemplateError } from '@belfry/shared';
import type { ComposeResult } from '../channel';
import { inApp } from './channel';
import type { InAppContent, InAppOverride, InAppTemplate } from './template';

type Options = { data?: Data; override?: InAppOverride; missing?: 'empty' | 'reject' };

function compose(
  template: InAppTemplate,
  { data = {}, override, missing = 'empty' }: Options = {},
): ComposeResult<InAppContent> {
  return inApp
    .compile(template)
    .compose({ data, override, missing, target: 'ana', isSensitive: false });
}

function getContent(template: InAppTemplate, options?: Options): InAppContent {
  const composed = compose(template, options);
  if ('failed' in composed) throw new Error(`${composed.failed}: ${composed.detail}`);
  return composed.content;
}

describe('the target of an in-app message', () => {
  test('is the user_id of the call, byte for byte', () => {
    expect(inApp.findTargets({ userId: 'Ana ✓/1' })).toEqual({ targets: [{ address: 'Ana ✓/1' }] });
  });

  test('is missing without a user_id', () => {
    const recipient: Recipient = { email: 'ana@example.com' };
    expect(inApp.findTargets(recipient)).toEqual({
      skip: 'no_address',
      detail: 'The recipient has no user_id.',
    });
  });
});

describe('an in-app message', () => {
  test('renders every field from the same data, under the names that front ends read', () => {
    const template = {
      title: 'Order {{order.id}}',
      body: 'Hello {{name}}',
      click_action: 'https://shop.example.com/orders/{{order.id}}',
      image: '{{picture}}',
      data: { order: '{{order.id}}', all: '{{order}}', fixed: 'yes' },
    };
    const data = { name: 'Ana', order: { id: 7 }, picture: '/p/7.png' };
    expect(getContent(template, { data })).toEqual({
      title: 'Order 7',
      body: 'Hello Ana',
      click_action: 'https://shop.example.com/orders/7',
      image: '/p/7.png',
      data: { order: '7', all: '{"id":7}', fixed: 'yes' },
    });
    expect(inApp.compile(template).paths).toEqual(['order.id', 'name', 'picture', 'order']);
  });

  test.each([
    ['novuhq/novu#2063', '<b>Novu</b>', '<b>Novu</b>'],
    ['novuhq/novu#2797', `R&D "it's" &amp;`, `R&D "it's" &amp;`],
    ['nocobase/nocobase#6164', '{{name}} {{{body}}}', '{{name}} {{{body}}}'],
    ['a zero', 0, '0'],
    ['an array', ['a', { b: 1 }], '["a",{"b":1}]'],
  ])('%s: prints %j unescaped, for the front end to escape', (_report, value, printed) => {
    const content = getContent({ title: '{{v}}', body: '{{v}}' }, { data: { v: value } });
    expect(content).toMatchObject({ title: printed, body: printed });
  });

  test('has a title of one line, and a body of several lines', () => {
    const data = { v: 'one\r\ntwo' };
    expect(getContent({ title: '{{v}}', body: '{{v}}' }, { data })).toMatchObject({
      title: 'one two',
      body: 'one\r\ntwo',
    });
  });

  test('may lack a title or a body, but not both', () => {
    expect(getContent({ title: 'T' })).toEqual({ title: 'T', body: '', data: {} });
    expect(getContent({ body: 'B' })).toEqual({ title: '', body: 'B', data: {} });
    expect(compose({ title: ' {{no}} ', body: '\n' })).toMatchObject({ failed: 'empty_content' });
    expect(compose({ title: '{{no}}', body: 'B' }, { missing: 'reject' })).toMatchObject({
      failed: 'missing_data',
    });
    expect(compose({ title: '{{no}}', body: 'B' })).toMatchObject({ missing: ['no'] });
  });

  test.each([
    ['title', { title: '{{v}}' }, 200, 'title: 201 characters; the limit is 200.'],
    ['body', { body: '{{v}}' }, 4_000, 'body: 4001 characters; the limit is 4000.'],
    [
      'click_action',
      { title: 'T', click_action: '{{v}}' },
      2_048,
      'click_action: 2049 characters; the limit is 2048.',
    ],
    [
      'data',
      { title: 'T', data: { k: '{{v}}' } },
      16 * 1024 - '{"k":""}'.length,
      'data: 16385 bytes as JSON; the limit is 16384.',
    ],
  ])('has a limit on its %s, which the failure names', (_field, template, limit, detail) => {
    expect(compose(template, { data: { v: 'x'.repeat(limit) } })).toHaveProperty('content');
    expect(compose(template, { data: { v: 'x'.repeat(limit + 1) } })).toEqual({
      failed: 'too_long',
      detail,
    });
  });

  test('counts the bytes of its data, not the characters', () => {
    const template = { title: 'T', data: { k: '{{v}}' } };
    const v = 'ü'.repeat((16 * 1024 - '{"k":""}'.length) / 2);
    expect(compose(template, { data: { v } })).toHaveProperty('content');
    expect(compose(template, { data: { v: `${v}x` } })).toMatchObject({ failed: 'too_long' });
  });
});

describe('a link of an in-app message', () => {
  test.each([
    'https://example.com/a?b=c&d',
    'HTTP://example.com',
    '/orders/7',
    'orders?a:b',
    '#top',
  ])('may be %s', (link) => {
    const content = getContent({ title: 'T', click_action: '{{link}}' }, { data: { link } });
    expect(content.click_action).toBe(link);
  });

  test.each([
    'javascript:alert(1)',
    ' JaVa\tScript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,<script>',
    'vbscript:x',
    'file:///etc/passwd',
    'mailto:eve@example.com',
  ])('may not be %j, from a value or from the call', (link) => {
    const detail = 'click_action must be an http, https or relative URL.';
    const rejection = { failed: 'rejected_content', detail };
    expect(compose({ title: 'T', click_action: '{{link}}' }, { data: { link } })).toEqual(
      rejection,
    );
    const override = { message: { click_action: link } };
    expect(compose({ title: 'T' }, { override })).toEqual(rejection);
  });

  test.each(['click_action', 'image'])('%s with another scheme is refused on save', (name) => {
    const compile = () => inApp.compile({ title: 'T', [name]: 'javascript:go({{id}})' });
    expect(compile).toThrow(TemplateError);
    expect(compile).toThrow(expect.objectContaining({ line: 1, column: 1 }));
  });

  test('is left out when it renders empty', () => {
    expect(getContent({ title: 'T', click_action: '{{no}}', image: ' ' })).toEqual({
      title: 'T',
      body: '',
      data: {},
    });
  });
});

describe('an override of an in-app message', () => {
  test('replaces the fields that it sets, literally', () => {
    const template = { title: 'T', body: 'B', click_action: '/t', data: { a: 'T' } };
    const message = { title: '{{x}} <b>', click_action: '/o', data: { n: 1, o: { p: null } } };
    expect(getContent(template, { override: { message } })).toEqual({
      title: '{{x}} <b>',
      body: 'B',
      click_action: '/o',
      data: { n: 1, o: { p: null } },
    });
  });

  test('changes nothing when it is blank', () => {
    const message = { title: '', body: ' ', click_action: '', image: '', data: {} };
    expect(getContent({ title: 'T', data: { a: 'b' } }, { override: { message } })).toEqual({
      title: 'T',
      body: '',
      data: { a: 'b' },
    });
  });

  test('has the same limits', () => {
    const message = { title: 'x'.repeat(201) };
    expect(compose({ title: 'T' }, { override: { message } })).toMatchObject({
      failed: 'too_long',
    });
    const data = { k: 'x'.repeat(17_000) };
    expect(compose({ title: 'T' }, { override: { message: { data } } })).toMatchObject({
      failed: 'too_long',
    });
  });
});

describe('the provider inbox', () => {
  const provider = inApp.providers['inbox']!;
  const content: InAppContent = { title: 'T', body: 'B', data: { a: 1 } };
  const call = { messageId: 'm1', target: 'ana', content, settings: {} };

  test('creates the item in the statement that records it, under the message’s own ID', async () => {
    const sender = provider.createSender({ baseUrls: {}, allowedPrivateHosts: [] });
    const sent = await sender.send({
      ...call,
      integrationId: '',
      integrationVersion: '',
      credentials: {},
      signal: AbortSignal.timeout(1_000),
      deadlineAt: Date.now() + 1_000,
    });
    expect(sent).toEqual({
      outcome: { outcome: 'accepted', providerMessageId: 'm1', isDelivered: true },
      inboxItem: content,
    });
    const signal = AbortSignal.timeout(1_000);
    expect(await sender.test({ settings: {}, credentials: {}, signal })).toMatchObject({
      isWorking: true,
    });
    await sender.close();
  });

  test('shows what is stored, and for which user', () => {
    expect(provider.describe(call)).toEqual({
      operation: 'inbox',
      body: { user_id: 'ana', ...content },
    });
  });
});

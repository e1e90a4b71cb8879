import { closers } from '../provider-subject.fixture';
import { findChannel, sendTemplate, type WireBody } from '../wire.fixture';

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const approved = (changes: object) => ({ template: { name: 'order', language: 'en', ...changes } });
const withButton = (value: string, kind = 'url') =>
  approved({ buttons: [{ index: 1, kind, value }] });
const withHeader = (value: string, kind = 'image') => approved({ header: { kind, value } });

const send = (template: object, v: unknown = '7') =>
  sendTemplate('whatsapp/meta', template, { data: { v: v as string } });

const getComponents = (body: WireBody | undefined) =>
  (body?.['template'] as WireBody | undefined)?.['components'];

test('a button keeps its position after one without a parameter', async () => {
  // Secreto31126/whatsapp-api-js#175: a call button comes before the one with a URL.
  const { body } = await send(
    approved({
      buttons: [
        { index: 3, kind: 'quick_reply', value: 'stop' },
        { index: 1, kind: 'url', value: 'orders/{{v}}' },
      ],
    }),
  );
  expect(getComponents(body)).toEqual([
    {
      type: 'button',
      sub_type: 'quick_reply',
      index: '3',
      parameters: [{ type: 'payload', payload: 'stop' }],
    },
    {
      type: 'button',
      sub_type: 'url',
      index: '1',
      parameters: [{ type: 'text', text: 'orders/7' }],
    },
  ]);
});

test.each([
  'https://shop.example/orders/7',
  'HTTP://shop.example/',
  '//shop.example/orders/7',
  ' https://x',
])('a button with the whole URL %j fails before the call, and is named', async (v) => {
  const { composed, body } = await send(withButton('{{v}}'), v);
  expect(composed).toEqual({
    failed: 'rejected_content',
    detail: expect.stringMatching(/^template\.buttons\[0\]: .*position 1.*end of the URL/),
  });
  expect(body).toBeUndefined();
});

test.each(['', ' ', '\u200b', null])(
  'a button with the parameter %j fails, and is named',
  async (v) => {
    for (const kind of ['url', 'quick_reply', 'copy_code']) {
      const { composed, body } = await send(withButton('{{v}}', kind), v);
      expect(composed).toEqual({
        failed: 'empty_content',
        detail: expect.stringMatching(/^template\.buttons\[0\]: .*position 1/),
      });
      expect(body).toBeUndefined();
    }
  },
);

test('the end of a URL may contain another URL', async () => {
  const { body } = await send(withButton('login?next={{v}}'), 'https://shop.example/');
  expect(getComponents(body)).toMatchObject([
    { parameters: [{ text: 'login?next=https://shop.example/' }] },
  ]);
});

test.each(['image', 'video', 'document'])(
  'an http: header %s fails before the call',
  async (kind) => {
    const { composed, body } = await send(withHeader('{{v}}', kind), 'http://shop.example/a');
    expect(composed).toEqual({
      failed: 'rejected_content',
      detail: expect.stringMatching(/^template\.header: .*https/),
    });
    expect(body).toBeUndefined();
    const { body: sent } = await send(withHeader('{{v}}', kind), 'https://shop.example/a');
    expect(getComponents(sent)).toMatchObject([
      { parameters: [{ [kind]: { link: 'https://shop.example/a' } }] },
    ]);
  },
);

test.each<[string, object, string]>([
  ['a whole URL', withButton('https://shop.example/{{v}}'), 'template.buttons[0]: '],
  ['no parameter', withButton(' '), 'template.buttons[0]: '],
  ['an http: image', withHeader('http://shop.example/{{v}}'), 'template.header: '],
  ['a relative image', withHeader('/a.png'), 'template.header: '],
])('%s is refused on save', (_what, template, start) => {
  expect(() => findChannel('whatsapp').compile(template)).toThrow(
    expect.objectContaining({ name: 'TemplateError', message: expect.stringContaining(start) }),
  );
});

test('Twilio gets the variables of buttons after those of the approved text', async () => {
  const { body } = await sendTemplate(
    'whatsapp/twilio',
    {
      template: {
        content_sid: `HX${'0'.repeat(32)}`,
        body: 'Order {{1}} is on its way.',
        parameters: [{ value: '{{v}}' }, { value: 'orders/{{v}}' }],
      },
    },
    { data: { v: '7' } },
  );
  expect(body?.['ContentVariables']).toEqual({ 1: '7', 2: 'orders/7' });
});

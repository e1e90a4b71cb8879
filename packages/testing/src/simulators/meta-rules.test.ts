import { createMetaSimulator } from './meta';
import { closeAll, closers, post } from './raw-calls.fixture';

afterAll(closeAll);

// Each row is a valid request with one change.
describe('the simulator of Meta', () => {
  const base = { messaging_product: 'whatsapp', recipient_type: 'individual', to: '+4512345678' };
  const text = { ...base, type: 'text', text: { body: 'Hello', preview_url: false } };
  const variable = { type: 'text', text: 'Ana' };
  const approved = (...components: object[]) => ({
    ...base,
    type: 'template',
    template: { name: 'order_sent', language: { code: 'en_US' }, components },
  });
  const body = (...parameters: object[]) => ({ type: 'body', parameters });
  const header = (parameter: object) => ({ type: 'header', parameters: [parameter] });
  const button = (sub_type: string, parameter: object, index: unknown = '0') => ({
    type: 'button',
    sub_type,
    index,
    parameters: [parameter],
  });
  const image = (link: string) => ({ type: 'image', image: { link } });
  let url: string;

  beforeAll(async () => {
    const simulator = await createMetaSimulator();
    closers.push(simulator.close);
    url = `${simulator.url}/v23.0/100000000000001/messages`;
  });

  const send = (message: object, headers: Record<string, string> = {}) =>
    post(url, {
      headers: { authorization: 'Bearer token', 'content-type': 'application/json', ...headers },
      body: JSON.stringify(message),
    });

  test.each<[string, object]>([
    ['a text', text],
    ['4,096 characters', { ...text, text: { body: 'x'.repeat(4_096) } }],
    ['a template', approved()],
    ['variables', approved(body(variable, variable))],
    ['a picture', approved(header(image('https://x.example/a.png')))],
    [
      'buttons',
      approved(
        button('url', variable),
        button('copy_code', { type: 'coupon_code', coupon_code: 'A1' }, '1'),
      ),
    ],
  ])('accepts %s', async (_what, message) => {
    expect((await send(message)).status).toBe(200);
  });

  const without = (name: keyof typeof text) =>
    Object.fromEntries(Object.entries(text).filter(([each]) => each !== name));

  test.each<[string, object, number]>([
    ['no product', without('messaging_product'), 131_008],
    ['no recipient', without('to'), 131_008],
    ['no type', without('type'), 131_008],
    ['a type without its member', { ...text, type: 'template' }, 131_008],
    ['letters in the number', { ...text, to: 'ana' }, 131_009],
    ['16 digits', { ...text, to: '1234567890123456' }, 131_009],
    ['an empty text', { ...text, text: { body: '' } }, 131_009],
    ['4,097 characters', { ...text, text: { body: 'x'.repeat(4_097) } }, 131_009],
    ['a flag as a string', { ...text, text: { body: 'x', preview_url: 'true' } }, 131_009],
    [
      'a callback of 513 characters',
      { ...text, biz_opaque_callback_data: 'x'.repeat(513) },
      131_009,
    ],
    ['an unknown field', { ...text, sender: 'x' }, 100],
    ['an unknown member', { ...text, text: { body: 'x', html: 'x' } }, 100],
    [
      'a template in capitals',
      { ...approved(), template: { name: 'Order', language: { code: 'en' } } },
      131_009,
    ],
    [
      'a language with a dash',
      { ...approved(), template: { name: 'a', language: { code: 'en-US' } } },
      131_009,
    ],
    ['an empty variable', approved(body({ type: 'text', text: '' })), 131_009],
    ['a variable of two lines', approved(body({ type: 'text', text: 'a\nb' })), 131_009],
    ['a variable with five spaces', approved(body({ type: 'text', text: 'a     b' })), 131_009],
    ['a body without variables', approved(body()), 131_009],
    [
      'a header of 61 characters',
      approved(header({ type: 'text', text: 'x'.repeat(61) })),
      131_009,
    ],
    ['a picture without a URL', approved(header(image('a.png'))), 131_009],
    ['a picture without its file', approved(header({ type: 'image' })), 131_009],
    ['an unknown button', approved(button('call', variable)), 131_009],
    ['an eleventh button', approved(button('url', variable, '10')), 131_009],
    ['a position as a number', approved(button('url', variable, 0)), 131_009],
    [
      'a code of 21 characters',
      approved(button('copy_code', { type: 'coupon_code', coupon_code: 'x'.repeat(21) })),
      131_009,
    ],
    [
      'a code on a link',
      approved(button('url', { type: 'coupon_code', coupon_code: 'x' })),
      131_009,
    ],
  ])('refuses %s', async (_what, message, code) => {
    expect(await send(message)).toMatchObject({ status: 400, body: { error: { code } } });
  });

  test('refuses a call without a token, and another content type', async () => {
    expect((await send(text, { authorization: '' })).status).toBe(401);
    expect((await send(text, { 'content-type': 'text/plain' })).status).toBe(400);
  });
});

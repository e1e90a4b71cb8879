import { closers } from './provider-subject.fixture';
import { sendTemplate, type WireBody } from './wire.fixture';

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const text = 'Sign in: https://shop.example/one-time?code=4711';

/** Reads the preview fields of the request. */
const readPreview: Record<string, (body: WireBody | undefined) => unknown> = {
  'slack/slack': (body) => [body?.['unfurl_links'], body?.['unfurl_media']],
  'telegram/telegram': (body) => body?.['link_preview_options'],
  'whatsapp/meta': (body) => (body?.['text'] as WireBody | undefined)?.['preview_url'],
};

const off: Record<string, unknown> = {
  'slack/slack': [false, false],
  'telegram/telegram': { is_disabled: true },
  'whatsapp/meta': false,
};
const on: Record<string, unknown> = {
  'slack/slack': [true, true],
  'telegram/telegram': { is_disabled: false },
  'whatsapp/meta': true,
};
/** The provider's own default; WhatsApp shows no preview. */
const unset: Record<string, unknown> = {
  'slack/slack': [undefined, undefined],
  'telegram/telegram': undefined,
  'whatsapp/meta': false,
};

/** A payload in which the call itself enables the preview. */
const enablingPayloads: Record<string, Record<string, unknown>> = {
  'slack/slack': { unfurl_links: true, unfurl_media: true },
  'telegram/telegram': { link_preview_options: { is_disabled: false } },
  'whatsapp/meta': { preview_url: true },
};

const providers = Object.keys(readPreview);

async function send(provider: string, ...[template, options]: [object, object?]) {
  const { body } = await sendTemplate(provider, template, options);
  expect(body).toBeDefined();
  return readPreview[provider]?.(body);
}

describe.each(providers)('a link preview on %s', (provider) => {
  test('is off for a sensitive event', async () => {
    expect(await send(provider, { text }, { isSensitive: true })).toEqual(off[provider]);
    const override = { message: { text } };
    expect(await send(provider, { text: 'T' }, { isSensitive: true, override })).toEqual(
      off[provider],
    );
  });

  test('is on for a sensitive event when the template enables it', async () => {
    const template = { text, link_preview: 'on' };
    expect(await send(provider, template, { isSensitive: true })).toEqual(on[provider]);
  });

  test('follows the template for another event, and else the provider', async () => {
    expect(await send(provider, { text })).toEqual(unset[provider]);
    expect(await send(provider, { text, link_preview: 'off' })).toEqual(off[provider]);
    expect(await send(provider, { text, link_preview: 'on' })).toEqual(on[provider]);
  });

  test('is on when the call’s payload enables it', async () => {
    const options = { isSensitive: true, payload: enablingPayloads[provider] };
    expect(await send(provider, { text }, options)).toEqual(on[provider]);
  });
});

test('link previews in Slack blocks are off for a sensitive event too', async () => {
  const blocks = JSON.stringify([{ type: 'section', text: { type: 'mrkdwn', text } }]);
  expect(await send('slack/slack', { blocks }, { isSensitive: true })).toEqual([false, false]);
});

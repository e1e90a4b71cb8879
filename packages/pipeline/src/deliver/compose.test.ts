import { type AnyChannel, type ChannelName, channels } from '@belfry/channels';
import type { VersionRow } from '@belfry/database';
import { createFairQueue } from '@belfry/runtime';
import { createCompose } from './compose';
import { createPreviewLinks } from './links';

async function compose(
  name: ChannelName,
  template: unknown,
  data: object,
  { isSensitive = false } = {},
) {
  const channel: AnyChannel = channels[name];
  const channelVersion = {
    integrationIds: [],
    templates: { en: template },
    policy: { attempts: 1, timeToLiveMs: 60_000, onUnknown: 'hold' as const },
  };
  const version: VersionRow = {
    id: 'v1',
    eventId: 'e1',
    definition: {
      defaultLocale: 'en',
      missing: 'empty',
      isSensitive,
      channels: { [name]: channelVersion },
    },
  };
  const message = {
    channel: name,
    target: 'ana@example.com',
    locale: undefined,
    data: JSON.stringify(data),
    override: undefined,
  };
  return createCompose(
    channel,
    createFairQueue(),
    createPreviewLinks(''),
  )({ accountId: 'account', message, version, channelVersion });
}

/** Each field costs about a third of a message's budget. */
const third = '{{#each list}}{{#if (or x.y x.y x.y x.y)}}{{/if}}{{/each}}';
const data = { list: Array(7_000).fill(0) };

describe('composing a message', () => {
  test.each<ChannelName>(['slack', 'telegram', 'whatsapp'])(
    'of a sensitive event turns link previews off on %s',
    async (name) => {
      const template = { text: 'https://shop.example/one-time' };
      const sensitive = await compose(name, template, {}, { isSensitive: true });
      expect(sensitive).toHaveProperty('content.linkPreview', false);
      const other = await compose(name, template, {});
      expect(other).not.toHaveProperty('content.linkPreview');
    },
  );

  test.each<[ChannelName, (text: string) => unknown, (text: string) => unknown]>([
    [
      'email',
      (text) => ({ subject: `Hi${text}`, text: 'Hi' }),
      (text) => ({ subject: `Hi${text}`, text, html: text, headers: { 'List-Id': text } }),
    ],
    [
      'slack',
      (text) => ({ text: `Hi${text}` }),
      (text) => ({
        blocks: JSON.stringify(Array.from({ length: 5 }, () => ({ type: 'divider', x: text }))),
      }),
    ],
    [
      'push',
      (text) => ({ title: `Hi${text}` }),
      (text) => ({ title: text, body: text, data: { a: text, b: text } }),
    ],
    [
      'onesignal',
      (text) => ({ title: `Hi${text}` }),
      (text) => ({ title: text, body: text, data: { a: text, b: text } }),
    ],
    [
      'in_app',
      (text) => ({ title: `Hi${text}` }),
      (text) => ({ title: text, body: text, data: { a: text, b: text } }),
    ],
    [
      'whatsapp',
      (text) => ({ text: `Hi${text}` }),
      (text) => ({
        template: {
          name: 'a',
          language: 'en',
          parameters: Array.from({ length: 5 }, () => ({ value: `v${text}` })),
        },
      }),
    ],
  ])(
    '%s: all fields share one budget, and over it the message is too_complex',
    async (name, one, several) => {
      expect(await compose(name, one(third), data)).toHaveProperty('content');
      expect(await compose(name, several(third), data)).toMatchObject({ failed: 'too_complex' });
    },
  );

  test.each<[ChannelName, unknown]>([
    ['sms', { text: '{{a}}'.repeat(1_001) }],
    ['telegram', { text: '{{a}}'.repeat(1_001) }],
    ['email', { subject: '{{a}}'.repeat(600), text: '{{a}}'.repeat(600) }],
    ['slack', { text: '{{a}}'.repeat(600), blocks: `[{"type":"x","a":"${'{{a}}'.repeat(600)}"}]` }],
  ])(
    '%s: a stored template over the limits fails the message and does not throw',
    async (name, template) => {
      expect(await compose(name, template, {})).toEqual({
        failed: 'rejected_content',
        detail: expect.stringContaining('A template can have at most 1000 tags in all its fields.'),
      });
    },
  );

  test('names at most 50 missing paths', async () => {
    const text = Array.from({ length: 80 }, (_, index) => `{{a${index}}}`).join('');
    const composed = await compose('sms', { text: `Hi ${text}` }, {});
    expect('missing' in composed && composed.missing).toHaveLength(50);
  });
});

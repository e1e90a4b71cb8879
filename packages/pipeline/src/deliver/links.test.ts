import { type AnyChannel, type ChannelName, channels } from '@belfry/channels';
import { createKeyRing, createSecrets, readUnsubscribeToken } from '@belfry/runtime';
import { createLinks, createPreviewLinks } from './links';

const secrets = createSecrets(createKeyRing());
const message = {
  id: '0198f3c2-7d41-7c3a-9b1e-2f4d5c6b7a81',
  appId: '0198f3c2-7d41-7c3a-9b1e-2f4d5c6b7a80',
  target: 'ada@example.org',
  recipient: '{"user_id":"ada","email":"ada@example.org"}',
};
const optional = { kind: 'optional', category: 'news', isSensitive: false } as const;
const both = ['unsubscribe_url', 'preferences_url'];

function link(
  name: ChannelName,
  definition: { kind?: 'optional' | 'mandatory'; category?: string; isSensitive: boolean },
  {
    paths = both,
    data = {},
    publicUrl = 'https://notify.example.com/',
    target = message.target,
  } = {},
) {
  const channel: AnyChannel = channels[name];
  const linked = { ...message, target, channel: name };
  return createLinks({ publicUrl, secrets })({ channel, message: linked, definition, paths, data });
}

const read = (url: unknown) =>
  readUnsubscribeToken(/\/u\/([^/]+)/.exec(String(url))?.[1] ?? '', { secrets, nowMs: Date.now() });

describe('the links of a message', () => {
  test('name the person, the message and what an unsubscribe switches off', () => {
    const { data } = link('sms', optional, { target: '+4520123456' });
    expect(read(data['unsubscribe_url'])).toEqual({
      appId: message.appId,
      messageId: message.id,
      userId: 'ada',
      channel: 'sms',
      category: 'news',
      target: '+4520123456',
    });
    expect(data['preferences_url']).toBe(`${data['unsubscribe_url']}/preferences`);
    expect(data['unsubscribe_url']).toMatch(/^https:\/\/notify\.example\.com\/u\/[^/]+$/);
  });

  test.each([
    ['a mandatory event', { kind: 'mandatory', isSensitive: false } as const],
    ['a version without a kind', { isSensitive: false }],
  ])('of %s are only those of the preferences, without a mailing list', (_, definition) => {
    const { data, list } = link('email', definition);
    expect(data).toMatchObject({ unsubscribe_url: '' });
    expect(read(data['preferences_url'])).toMatchObject({ userId: 'ada', channel: 'email' });
    expect(list).toBeUndefined();
  });

  test('are never in the content of a sensitive event', () => {
    const { data, list } = link('email', { ...optional, isSensitive: true });
    expect(data).toEqual({ unsubscribe_url: '', preferences_url: '' });
    expect(read(list?.unsubscribeUrl)).toMatchObject({ category: 'news' });
  });

  test('are empty for a group, and without a URL of the gateway', () => {
    const empty = { unsubscribe_url: '', preferences_url: '' };
    expect(link('telegram', optional, { target: '-1001234567890' }).data).toEqual(empty);
    expect(link('email', optional, { publicUrl: '' })).toEqual({ data: empty });
  });

  test('leave data with the same name as it is, and add nothing that no template reads', () => {
    const data = { unsubscribe_url: 'https://shop.example/off' };
    expect(link('sms', optional, { data }).data).toMatchObject(data);
    expect(link('sms', optional, { paths: ['name'] })).toEqual({ data: {} });
  });
});

describe('the mailing list of a mail', () => {
  test('has an ID of its category, or of the app', () => {
    const host = `${message.appId}.notify.example.com`;
    expect(link('email', optional).list?.id).toBe(`<news.${host}>`);
    const { category: _, ...withoutCategory } = optional;
    expect(link('email', withoutCategory).list?.id).toBe(`<${host}>`);
  });

  test.each(['http://notify.example.com', '', `https://${'x'.repeat(200)}.example`])(
    'needs HTTPS and a host that fits: %s',
    (publicUrl) => expect(link('email', optional, { publicUrl })).not.toHaveProperty('list'),
  );

  test('is only that of mail', () => expect(link('sms', optional)).not.toHaveProperty('list'));
});

test('the links of a preview have the form of real ones and are not ours', () => {
  const addLinks = createPreviewLinks('https://notify.example.com');
  const preview = addLinks({
    ...{ channel: channels.email as AnyChannel, definition: optional, paths: both, data: {} },
    message: { channel: 'email', target: 'ada@example.org' },
  });
  expect(preview.data['unsubscribe_url']).toBe('https://notify.example.com/u/preview');
  expect(read(preview.data['unsubscribe_url'])).toBeUndefined();
});

import { readPayload } from './payload';
import { findChannel } from './wire.fixture';

const x = (characters: number) => 'x'.repeat(characters);
const url = (characters: number) => `https://${x(characters - 8)}`;
const times = <T>(count: number, value: T) => Array.from({ length: count }, () => value);

const buttons = (rows: number, ofRow: number, button: object) => ({
  reply_markup: { inline_keyboard: times(rows, times(ofRow, button)) },
});
const link = { text: 'a', url: url(20) };

/** The provider, the fields of a call at a size, and the largest size. */
const limits: [provider: string, what: string, (size: number) => object, number][] = [
  ['sms/twilio', 'seconds in the queue', (size) => ({ ValidityPeriod: size }), 36_000],
  ['sms/twilio', 'media', (size) => ({ MediaUrl: times(size, url(20)) }), 10],
  ['sms/twilio', 'URL of media', (size) => ({ MediaUrl: [url(size)] }), 2_000],
  ['sms/twilio', 'purpose', (size) => ({ MessageIntent: x(size) }), 32],
  ['telegram/telegram', 'buttons of a row', (size) => buttons(1, size, link), 8],
  ['telegram/telegram', 'rows of buttons', (size) => buttons(size, 1, link), 100],
  ['telegram/telegram', 'label', (size) => buttons(1, 1, { ...link, text: x(size) }), 256],
  ['telegram/telegram', 'URL', (size) => buttons(1, 1, { ...link, url: url(size) }), 2_048],
  [
    'telegram/telegram',
    'data of a button',
    (size) => buttons(1, 1, { text: 'a', callback_data: x(size) }),
    64,
  ],
  ['telegram/telegram', 'preview', (size) => ({ link_preview_options: { url: url(size) } }), 2_048],
  ['slack/slack', 'sender name', (size) => ({ username: x(size) }), 80],
  ['slack/slack', 'icon', (size) => ({ icon_url: url(size) }), 2_000],
  ['slack/slack', 'emoji', (size) => ({ icon_emoji: `:${x(size - 2)}:` }), 102],
  ['push/fcm', 'text', (size) => ({ android: { collapse_key: x(size) } }), 1_024],
  ['push/fcm', 'seconds kept', (size) => ({ android: { ttl: `${size}s` } }), 2_419_200],
  [
    'push/fcm',
    'badge',
    (size) => ({ android: { notification: { notification_count: size } } }),
    1_000_000,
  ],
  [
    'push/fcm',
    'actions in a browser',
    (size) => ({ webpush: { notification: { actions: times(size, { title: 'a' }) } } }),
    4,
  ],
  ['push/web_push', 'topic', (size) => ({ topic: x(size) }), 32],
  ['push/web_push', 'seconds kept', (size) => ({ ttl: size }), 2_419_200],
  ['onesignal/onesignal', 'text', (size) => ({ android_group: x(size) }), 1_024],
  ['onesignal/onesignal', 'subtitle', (size) => ({ subtitle: { en: x(size) } }), 1_024],
  ['onesignal/onesignal', 'seconds kept', (size) => ({ ttl: size }), 2_419_200],
  ['onesignal/onesignal', 'priority', (size) => ({ priority: size }), 10],
  ['onesignal/onesignal', 'collapse ID', (size) => ({ collapse_id: x(size) }), 64],
  ['onesignal/onesignal', 'badge', (size) => ({ ios_badgeCount: size }), 1_000_000],
];

test.each(limits)(
  '%s: %s of a call is sent up to the limit, not beyond',
  (provider, _, create, limit) => {
    const [channel, name] = provider.split('/') as [string, string];
    const { payload: schema } = findChannel(channel).providers[name]!;
    const read = (payload: object) =>
      readPayload(
        { override: JSON.stringify({ providers: { main: { payload } } }) },
        'main',
        schema,
      );
    expect(read(create(limit))).toEqual({ payload: create(limit) });
    expect(read(create(limit + 1))).toHaveProperty('notes.ignored_override');
  },
);

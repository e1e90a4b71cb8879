import { type AnyChannel, channels } from '@belfry/channels';
import { recipientFromWire } from '@belfry/shared';
import { describeRecipient, listRecipientNames } from './recipient';

/** An address for every channel. Add the field of a new channel here. */
const user = {
  user_id: 'ana',
  email: 'ana@example.com',
  mobile: '+12025550101',
  whatsapp_mobile: '+12025550102',
  slack: { access_token: 'sealed', channel_id: 'C0123ABCD', email: 'ana@slack.example.com' },
  telegram: { chat_id: 1234 },
  onesignal_external_id: 'ana-one',
  fcm_tokens: ['fcm-token'],
  preferences: { locale: 'pt-BR' },
};

test.each(Object.entries<AnyChannel>(channels))(
  'an item is found by the address of its recipient on %s',
  (_name, channel) => {
    const extraFields = Object.keys(channel.recipient);
    const targeting = channel.findTargets(recipientFromWire(user, extraFields));
    expect(targeting).toHaveProperty('targets');
    const [target] = 'targets' in targeting ? targeting.targets : [];
    // An address of Slack may hold two.
    const addresses = target?.address.split(' ');
    expect(listRecipientNames(JSON.stringify(user))).toEqual(expect.arrayContaining(addresses!));
  },
);

test.each<[string, object, string]>([
  ['its e-mail address', user, 'ana@example.com'],
  ['its Telegram chat, also by number', { user_id: 'u', telegram: { chat_id: -100 } }, '-100'],
  ['a OneSignal subscription', { user_id: 'u', onesignal_player_ids: ['id-1', 'id-2'] }, 'id-1'],
  ['a push topic', { fcm_topic: 'news' }, 'news'],
  ['the address of a message', { slack: { access_token: 'sealed' } }, 'C1'],
  ['its user ID before the address of a message', { user_id: 'u' }, 'u'],
])('a recipient is named by %s', (_what, stored, name) => {
  expect(describeRecipient(JSON.stringify(stored), [{ target: 'C1' }])).toBe(name);
});

test('no name of a recipient is a token or a preference', () => {
  const names = listRecipientNames(JSON.stringify(user));
  expect(names).not.toEqual(expect.arrayContaining(['sealed']));
  expect(names).not.toEqual(expect.arrayContaining(['pt-BR']));
  expect(names.at(-1)).toBe('ana');
});

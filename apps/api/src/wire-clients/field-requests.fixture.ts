import type { AcceptedCall } from './send-requests.fixture';

const ana = 'ana@example.com';
const hourMs = 3_600_000;
/** One hour ahead, in whole seconds, so that every format can express it. */
const later = new Date(Math.floor(Date.now() / 1000) * 1000 + hourMs);
const laterMs = later.getTime();

type Row = Omit<AcceptedCall, 'body' | 'items'> & { body: object; item: object };

/** Fields of the body and of `user`, in each format that a client sends. */
const fields: readonly Row[] = [
  {
    client: 'node',
    shows: 'scheduleAt in milliseconds',
    body: { user: { email: ana }, scheduleAt: laterMs },
    item: { scheduleAt: String(laterMs), dueAt: { email: later } },
  },
  {
    client: 'legacy node',
    shows: 'scheduleAt as a string',
    body: { user: { email: ana }, scheduleAt: later.toISOString() },
    item: { dueAt: { email: later } },
  },
  {
    client: 'legacy java',
    shows: 'schedule_at as ISO 8601',
    body: { user: { email: ana }, schedule_at: later.toISOString() },
    item: { dueAt: { email: later } },
  },
  {
    client: 'legacy python',
    shows: 'schedule_at as digits',
    body: { user: { email: ana }, schedule_at: String(laterMs) },
    item: { dueAt: { email: later } },
  },
  {
    client: 'java',
    shows: 'a schedule_at of one channel',
    body: { user: { email: ana }, scheduleAt: null, override: { email: { schedule_at: laterMs } } },
    item: { scheduleAt: null, dueAt: { email: later } },
  },
  {
    client: 'go',
    shows: 'a scheduled_at of one channel',
    body: { user: { email: ana }, override: { email: { scheduled_at: later.toISOString() } } },
    item: { dueAt: { email: later } },
  },
  {
    client: 'legacy node',
    shows: 'a scheduledAt of one channel',
    body: { user: { email: ana }, override: { email: { scheduledAt: later.toISOString() } } },
    item: { dueAt: { email: later } },
  },
  {
    client: 'documentation',
    shows: 'unknown keys',
    body: { user: { email: ana, in_app: { last_open: 'x' } }, notification: { title: 'x' }, n: 1 },
    item: { targets: { email: ana } },
  },
  {
    client: 'node',
    shows: 'an empty whatsapp_mobile next to a mobile',
    body: { user: { mobile: '+4512345678', whatsapp_mobile: '' } },
    item: { recipient: { mobile: '+4512345678' } },
  },
  {
    client: 'go',
    shows: 'push tokens without a stored user',
    body: { user: { fcm_tokens: ['f1'], ios_tokens: ['i1'], onesignal_external_id: 'os' } },
    item: { recipient: { fcm_tokens: ['f1'], ios_tokens: ['i1'], onesignal_external_id: 'os' } },
  },
  {
    client: 'python',
    shows: 'a topic and a device group as strings',
    body: { user: { fcm_topic: 'news', fcm_device_group: 'g', onesignal_player_ids: ['p'] } },
    item: { recipient: { fcm_topic: 'news', fcm_device_group: 'g', onesignal_player_ids: ['p'] } },
  },
  {
    client: 'legacy python',
    shows: 'topics and device groups as lists',
    body: { user: { fcm_topic: ['news', 'offers'], fcm_device_group: ['g'] } },
    item: { recipient: { fcm_topic: ['news', 'offers'], fcm_device_group: ['g'] } },
  },
  {
    client: 'python',
    shows: 'Slack by channel, and Telegram',
    body: {
      user: {
        slack: { access_token: 'xoxb-1', channel_id: 'C0123456789', email: null },
        telegram: { chat_id: '42' },
      },
    },
    item: { targets: { slack: 'C0123456789' }, recipient: { telegram: { chat_id: '42' } } },
  },
  {
    client: 'java',
    shows: 'Slack by e-mail',
    body: { user: { slack: { access_token: 'xoxb-1', channel_id: null, email: ana } } },
    item: { recipient: { slack: { email: ana } } },
  },
  {
    client: 'flutter',
    shows: 'preferences with a locale and a disabled channel',
    body: {
      user: {
        email: ana,
        preferences: {
          locale: 'de',
          disabled: null,
          channel_preferences: { email: { disabled: true }, teams: null, voice: {} },
        },
        devices: [{ platform: 'android', fcm_token: 'f' }],
      },
    },
    item: { skips: { email: { reason: 'opted_out' } }, locale: 'de', targets: {} },
  },
];

const name = { name: 'Ana' };
const emptyCopies = { cc: [], bcc: [], attachments: [] };
const emptyMessage = { subject: '', text: '', html_body: '' };

/** Members of `override`, in each format that a client sends. */
const overrides: readonly (Omit<Row, 'body' | 'item'> & { override: object })[] = [
  {
    client: 'node',
    shows: 'an e-mail with every field',
    override: {
      email: {
        schedule_at: 0,
        from: { name: 'Shop', address: 'shop@example.com' },
        cc: [{ name: 'Bo', address: 'bo@example.com' }],
        bcc: [{ name: '', address: 'cy@example.com' }],
        attachments: [{ file_name: 'a.txt', content: 'aGk=', url: '' }],
        message: { subject: 'Hi', text: 'Hi', html_body: '<p>Hi</p>' },
      },
    },
  },
  {
    client: 'java',
    shows: 'an e-mail with every field empty, as its types require',
    override: {
      email: {
        ...{ schedule_at: 0, from: { name: '', address: '' } },
        ...{ ...emptyCopies, message: emptyMessage },
      },
      providers: {},
    },
  },
  {
    client: 'documentation',
    shows: 'only the sender name',
    override: { email: { from: { name: 'Shop' } } },
  },
  {
    client: 'legacy python',
    shows: 'one attachment by URL',
    override: { email: { attachments: { filename: 'a.pdf', url: 'https://example.com/a.pdf' } } },
  },
  {
    client: 'node',
    shows: 'SMS and WhatsApp',
    override: {
      sms: { sender: 'SHOP', schedule_at: 0, message: { text: 'Hi' } },
      whatsapp: { schedule_at: 0, message: { text: 'Hi' } },
    },
  },
  {
    client: 'documentation',
    shows: 'the sender of an SMS inside its message',
    override: { sms: { message: { sender: 'SHOP', text: 'Hi' } } },
  },
  {
    client: 'python',
    shows: 'Slack with blocks as a list',
    override: { slack: { schedule_at: 0, message: { text: 'Hi', blocks: [{ type: 'divider' }] } } },
  },
  {
    client: 'node',
    shows: 'Slack with blocks as an object',
    override: { slack: { message: { text: 'Hi', blocks: { blocks: [{ type: 'divider' }] } } } },
  },
  {
    client: 'java',
    shows: 'Slack with blocks that are an empty object',
    override: { slack: { schedule_at: 0, message: { text: '', blocks: {} } } },
  },
  {
    client: 'node',
    shows: 'a time of 0 for every other channel, including unknown ones',
    override: Object.fromEntries(
      ['push', 'webhook', 'voice', 'in_app', 'telegram'].map((it) => [it, { schedule_at: 0 }]),
    ),
  },
  {
    client: 'node',
    shows: 'a payload for one integration',
    override: {
      providers: {
        onesignal_test: {
          payload: { ttl: 5 },
          ...{ form_params: [], query_params: [], path_params: [], headers: [] },
        },
      },
    },
  },
  {
    client: 'legacy java',
    shows: 'parameters and a config for one integration',
    override: { providers: { x: { query_params: [{ name: 'a', value: 'b' }], config: { c: 1 } } } },
  },
];

export const sendsByField: readonly AcceptedCall[] = [
  ...fields.map(({ body, item, ...row }) => ({
    ...row,
    body: JSON.stringify({ event: 'e', ...body }),
    items: [item],
  })),
  ...overrides.map(({ override, ...row }) => ({
    ...row,
    body: JSON.stringify({ event: 'e', data: name, user: { email: ana }, override }),
    items: [{ override, targets: { email: ana } }],
  })),
];

import type { ClientCall } from './wire-gateway.fixture';

/** An accepted call, and what must be stored for each of its items. */
export type AcceptedCall = Omit<ClientCall, 'path' | 'body'> & {
  shows: string;
  path?: string;
  body: string;
  items: readonly object[];
};

const ana = 'ana@example.com';
const legacyOrigin = 'https://api.ravenapp.dev';
const noRecipient = { recipient: null, targets: {}, skips: { email: { reason: 'no_recipient' } } };
const toAna = { recipient: { email: ana }, targets: { email: ana } };

const javaUserNulls =
  '"mobile":null,"whatsapp_mobile":null,"onesignal_external_id":null,"onesignal_player_ids":null,"fcm_tokens":null,"ios_tokens":null,"slack":null,"telegram":null,"fcm_topic":null,"fcm_device_group":null,"user_id":null';
const javaOverride =
  '{"email":null,"sms":null,"whatsapp":null,"push":null,"webhook":null,"voice":null,"slack":null,"in_app":null,"telegram":null,"providers":{}}';

/** Captured calls of `events/send` and `events/bulk_send` by client. */
export const capturedSends: readonly AcceptedCall[] = [
  {
    client: 'node',
    shows: 'the minimum',
    body: '{"event":"e","data":{}}',
    items: [noRecipient],
  },
  {
    client: 'python',
    shows: 'the minimum, with null for the rest',
    body: '{"event":"e","data":{},"user":null,"scheduleAt":null,"override":null}',
    items: [noRecipient],
  },
  {
    client: 'java',
    shows: 'the minimum, with null for the rest and the event last',
    body: '{"data":{},"scheduleAt":null,"override":null,"event":"e","user":null}',
    items: [noRecipient],
  },
  {
    client: 'go',
    shows: 'a null user, and a line break after the body',
    body: '{"event":"e","user":null}\n',
    items: [noRecipient],
  },
  {
    client: 'node',
    shows: 'a user with null for undefined fields',
    body: `{"event":"e","data":{"name":"Ana"},"user":{"email":"${ana}","mobile":null},"override":null}`,
    items: [{ ...toAna, data: { name: 'Ana' } }],
  },
  {
    client: 'python',
    shows: 'a user with only the set keys',
    body: `{"event":"e","data":{"name":null},"user":{"email":"${ana}"},"scheduleAt":null,"override":null}`,
    items: [{ ...toAna, data: { name: null } }],
  },
  {
    client: 'java',
    shows: 'all 12 keys of a user and all channels of an override, all null except one',
    body: `{"data":{},"scheduleAt":null,"override":${javaOverride},"event":"e","user":{"email":"${ana}",${javaUserNulls}}}`,
    items: [{ ...toAna, override: { providers: {} } }],
  },
  {
    client: 'node',
    shows: 'a batch',
    path: '/events/bulk_send',
    body: `{"event":"e","batch":[{"user":{"email":"${ana}"},"data":{"n":1}},{"user":{"email":"${ana}"},"data":{"n":2},"override":{"slack":{"schedule_at":0,"message":{"text":"hi","blocks":[]}},"providers":{}}}]}`,
    items: [
      { recipient: { email: ana }, data: { n: 1 } },
      { recipient: { email: ana }, override: { slack: { message: { text: 'hi' } } } },
    ],
  },
  {
    client: 'python',
    shows: 'a batch with null for unset fields',
    path: '/events/bulk_send',
    body: `{"event":"e","batch":[{"data":{"n":1},"user":{"email":"${ana}","mobile":null},"override":null}]}`,
    items: [{ recipient: { email: ana }, data: { n: 1 }, override: null }],
  },
  {
    client: 'java',
    shows: 'a batch with every null replaced',
    path: '/events/bulk_send',
    body: `{"batch":[{"user":{"email":"${ana}",${javaUserNulls}},"data":{},"override":${javaOverride}}],"event":"e"}`,
    items: [{ recipient: { email: ana }, override: { providers: {} } }],
  },
  {
    client: 'legacy node',
    shows: 'the app repeated in the query',
    path: '/events/send?app_id={app}',
    body: `{"event":"e","user":{"email":"${ana}"},"data":{}}`,
    items: [toAna],
  },
  {
    client: 'legacy node',
    shows: 'an absolute URL on the request line',
    origin: legacyOrigin,
    path: '/events/send?app_id={app}',
    body: `{"event":"e","user":{"email":"${ana}"},"data":{}}`,
    items: [toAna],
  },
  {
    client: 'legacy node',
    shows: 'an absolute URL for a batch',
    origin: legacyOrigin,
    path: '/events/bulk_send?app_id={app}',
    body: `{"event":"e","batch":[{"user":{"email":"${ana}"},"data":{}}]}`,
    items: [{ recipient: { email: ana } }],
  },
  {
    client: 'legacy node',
    shows: 'the camelCase names of its documentation',
    body: `{"event":"e","user":{"userId":"u1","email":"${ana}","whatsappMobile":"+4512345678","onesignalExternalId":"os","fcmTokens":["f"],"iosTokens":["i"],"fcmTopic":["t"],"fcmDeviceGroup":["g"],"onesignalPlayerIds":["p"],"slack":{"email":"${ana}","channelId":"C0123456789"},"telegram":{"chatId":"42"}}}`,
    items: [
      {
        targets: { email: ana, slack: `C0123456789 ${ana}` },
        recipient: {
          user_id: 'u1',
          email: ana,
          whatsapp_mobile: '+4512345678',
          onesignal_external_id: 'os',
          fcm_tokens: ['f'],
          ios_tokens: ['i'],
          fcm_topic: ['t'],
          fcm_device_group: ['g'],
          onesignal_player_ids: ['p'],
          slack: { email: ana, channel_id: 'C0123456789' },
          telegram: { chat_id: '42' },
        },
      },
    ],
  },
  {
    client: 'legacy node',
    shows: 'the camelCase names in a batch',
    path: '/events/bulk_send',
    body: '{"event":"e","batch":[{"user":{"userId":"u1","user_id":"u2","slack":{"channelId":"C1"}}}]}',
    items: [{ recipient: { user_id: 'u2', slack: { channel_id: 'C1' } } }],
  },
  {
    client: 'legacy python',
    shows: 'only the set keys',
    body: `{"event": "e", "user": {"email": "${ana}"}, "data": {}}`,
    items: [toAna],
  },
  {
    client: 'legacy java',
    shows: 'attachments as a list with file_name',
    body: `{"event":"e","user":{"email":"${ana}"},"override":{"email":{"attachments":[{"file_name":"a.txt","content":"aGk="}]}}}`,
    items: [{ ...toAna, override: { email: { attachments: [{ file_name: 'a.txt' }] } } }],
  },
  {
    client: 'go',
    shows: 'one attachment with filename, and a single object for all providers',
    body: `{"event":"e","user":{"email":"${ana}"},"override":{"email":{"attachments":{"filename":"a.txt","content":"aGk="},"scheduled_at":"0"},"providers":{"payload":{"a":{"b":1}},"form_params":[{"name":"n","value":"v"}],"config":{"c":"d"}}}}\n`,
    items: [{ ...toAna, override: { email: { attachments: { filename: 'a.txt' } } } }],
  },
  {
    client: 'android',
    shows: 'a locale and a user_id, and no data',
    body: '{"event":"e","locale":"en","user":{"user_id":"nobody"}}',
    items: [{ recipient: { user_id: 'nobody' }, locale: 'en', data: null }],
  },
  {
    client: 'flutter',
    shows: 'null for the rest of the user',
    body: '{"event":"e","locale":"en","user":{"user_id":"nobody","mobile":null,"email":null,"whatsapp_mobile":null,"preferences":null,"devices":null}}',
    items: [{ recipient: { user_id: 'nobody' }, locale: 'en' }],
  },
];

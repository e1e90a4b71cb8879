import fc from 'fast-check';

/** The members of a send beside `event`, as JSON. */
export type SendBody = { [name: string]: unknown };

const later = '2027-01-04T08:00:00Z';

const user = fc.record(
  {
    user_id: fc.constantFrom('stored-ana', 'nobody', 'größe', ''),
    email: fc.constantFrom('ana@example.com', ' Ana@Example.com ', 'nonsense', ''),
    mobile: fc.constantFrom('+12025550123', '0049 (0)30 901820', '2025550123', 'x'),
    whatsapp_mobile: fc.constantFrom('+4930901820', ''),
    slack: fc.constantFrom(
      { channel_id: 'C012345678' },
      { email: 'ana@example.com', access_token: 'xoxb-1' },
    ),
    telegram: fc.constantFrom({ chat_id: 123456 }, { chat_id: '@orders' }, {}),
    onesignal_external_id: fc.constant('ana'),
    fcm_tokens: fc.constantFrom(['token-1', 'token-2', 'token-1'], []),
    ios_tokens: fc.constant(['token-3']),
    fcm_topic: fc.constantFrom('orders', ['orders', 'news']),
    preferences: fc.constantFrom(
      { locale: 'de' },
      { disabled: true },
      { channel_preferences: { email: { disabled: true }, sms: {} } },
    ),
    unknown_field: fc.constant({ a: [1] }),
  },
  { requiredKeys: [] },
);

const override = fc.record(
  {
    email: fc.constantFrom(
      { message: { subject: 'Hi' }, cc: ['b@example.com'], schedule_at: later },
      { attachments: [{ file_name: 'a.txt', content: 'YQ==' }] },
      { attachments: { filename: 'a.txt', content: 'YQ==' } },
    ),
    sms: fc.constantFrom({ message: { text: 'Hi', sender: '+15005550006' } }, {}),
    slack: fc.constant({ message: { text: 'Hi', blocks: [{ type: 'divider' }] } }),
    push: fc.constant({ message: { title: 'Hi' }, scheduledAt: later }),
    providers: fc.constantFrom({ smtp: { payload: { a: 1 } } }, { headers: [] }),
    voice: fc.constant(3),
  },
  { requiredKeys: [] },
);

/** Valid bodies. Each has a `user`, which a bulk needs. */
export const validBodies: fc.Arbitrary<SendBody> = fc.record(
  {
    user,
    data: fc.constantFrom({ a: null, b: [1, { c: 'x' }], name: 'Ana' }, {}),
    override,
    schedule_at: fc.constantFrom<unknown>(later, 0, 1_000, String(Date.parse(later)), ''),
    locale: fc.constantFrom('de', 'en', '', ' de '),
  },
  { requiredKeys: ['user'] },
);

const wrongValues: readonly unknown[] = [
  ...[
    null,
    '',
    ' ',
    'soon',
    '..',
    'a\u0007',
    '\u0000',
    '\ud800',
    'x'.repeat(300),
    'x'.repeat(6_000),
  ],
  ...[0, 5, -1.5, 2 ** 53, 4e12, true, false, [], {}, [null], [5], ['x'], { a: 1 }, { message: 7 }],
  ...['2999-01-01', '2027-02-30', '1e3', Array(120).fill('t'), { payload: 1 }],
  { text: 'x'.repeat(300_000) },
];

/** Members that old clients send, and unknown ones. */
const otherNames: Record<string, readonly string[]> = {
  user_id: ['userId'],
  whatsapp_mobile: ['whatsappMobile', 'whats_app'],
  onesignal_external_id: ['onesignalExternalId'],
  fcm_tokens: ['fcmTokens'],
  ios_tokens: ['iosTokens'],
  fcm_topic: ['fcmTopic'],
  channel_id: ['channelId'],
  access_token: ['accessToken'],
  chat_id: ['chatId'],
  schedule_at: ['scheduleAt', 'scheduled_at', 'scheduledAt'],
  file_name: ['filename'],
};

type Mutation = {
  at: number;
  kind: 'replace' | 'rename' | 'add' | 'remove';
  value: unknown;
  name: number;
};

const mutations: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom<Mutation['kind'][]>(
    'replace',
    'replace',
    'replace',
    'rename',
    'add',
    'remove',
  ),
  value: fc.constantFrom(...wrongValues),
  name: fc.nat(),
});

/** Valid bodies, most of them with one to three random members changed, renamed, added or removed. */
export const bodies: fc.Arbitrary<SendBody> = fc
  .tuple(validBodies, fc.array(mutations, { maxLength: 3 }))
  .map(([body, changes]) => {
    const copy = structuredClone(body);
    for (const change of changes) mutate(copy, change);
    return copy;
  });

type Place = { parent: { [name: string]: unknown } | unknown[]; name: string };

function listPlaces(parent: unknown): Place[] {
  if (typeof parent !== 'object' || parent === null) return [];
  return Object.entries(parent).flatMap(([name, value]) => [
    { parent: parent as Place['parent'], name },
    ...listPlaces(value),
  ]);
}

function mutate(body: SendBody, { at, kind, value, name }: Mutation): void {
  const places = listPlaces(body);
  const place = places[at % places.length];
  if (!place) return;
  const parent = place.parent as { [name: string]: unknown };
  const old = parent[place.name];
  if (kind === 'replace' || Array.isArray(place.parent)) {
    parent[place.name] = structuredClone(value);
    return;
  }
  if (kind === 'add') {
    const names = ['constructor', 'x', ...Object.values(otherNames).flat()];
    parent[names[name % names.length] ?? 'x'] = structuredClone(value);
    return;
  }
  delete parent[place.name];
  const others = otherNames[place.name] ?? ['unknown'];
  if (kind === 'rename') parent[others[name % others.length] ?? 'unknown'] = old;
}

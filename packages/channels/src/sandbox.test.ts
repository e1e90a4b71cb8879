import type { AnyChannel } from './channel';
import { type ChannelName, channelNames, channels } from './registry';
import {
  type CaptureRecord,
  createSandboxSender,
  magicBehaviours,
  type SandboxCall,
} from './sandbox';

type Sample = { template: object; magic(word: string): string };

const magicNumbers: { [word: string]: string } = {
  ok: '+15005550006',
  delivered: '+15005550000',
  bounce: '+15005550001',
  content: '+15005550002',
  credentials: '+15005550003',
  retry: '+15005550004',
  throttle: '+15005550005',
  timeout: '+15005550007',
  slow: '+15005550008',
};

/** A sample recipient and template per channel; the sandbox itself knows no channel. */
const samples: { [name: string]: Sample } = {
  email: {
    template: { subject: 'Hi {{name}}', html: '<p>{{name}}</p>' },
    magic: (word) => `sandbox+${word}@example.com`,
  },
  slack: {
    template: { text: 'Hi {{name}}' },
    magic: (word) => `CSANDBOX${word.toUpperCase()}`,
  },
  sms: {
    template: { text: 'Hi {{name}}' },
    magic: (word) => magicNumbers[word] ?? '',
  },
  whatsapp: {
    template: { text: 'Hi {{name}}' },
    magic: (word) => magicNumbers[word] ?? '',
  },
  telegram: {
    template: { text: 'Hi {{name}}' },
    magic: (word) => `@sandbox_${word}`,
  },
  push: {
    template: { title: 'Hi {{name}}' },
    magic: (word) => `sandbox:${word}`,
  },
  onesignal: {
    template: { title: 'Hi {{name}}' },
    magic: (word) => `sandbox+${word}`,
  },
  in_app: {
    template: { title: 'Hi {{name}}' },
    magic: (word) => `sandbox+${word}`,
  },
};

function getSample(name: ChannelName): Sample {
  const sample = samples[name];
  if (!sample) throw new Error(`Add a sample for the new channel ${name}`);
  return sample;
}

function getContent(name: ChannelName): unknown {
  const channel: AnyChannel = channels[name];
  const { template, magic } = getSample(name);
  const composed = channel.compile(template).compose({
    data: { name: 'R&D <b>' },
    target: magic('ok'),
    override: undefined,
    missing: 'empty',
    isSensitive: false,
  });
  if ('failed' in composed) throw new Error(composed.detail);
  return composed.content;
}

function setUp(channel: ChannelName) {
  const records: CaptureRecord[] = [];
  const pauses: number[] = [];
  const sandbox = createSandboxSender({
    channels,
    capture: async (record) => {
      records.push(record);
    },
    pause: async (delayMs, signal) => {
      pauses.push(delayMs);
      signal.throwIfAborted();
    },
  });
  const send = (changes: Partial<SandboxCall> = {}) =>
    sandbox.send({
      appId: 'app',
      messageId: 'm',
      attempt: 1,
      channel,
      target: 'nobody',
      content: getContent(channel),
      signal: AbortSignal.timeout(1_000),
      ...changes,
    });
  return { send, records, pauses };
}

describe.each(channelNames)('the sandbox of %s', (name) => {
  const channel: AnyChannel = channels[name];
  const { magic } = getSample(name);

  test('records the real provider’s request, and sends nothing', async () => {
    const { send, records } = setUp(name);
    const content = getContent(name);
    const { outcome } = await send({ target: magic('ok'), content });
    const [provider = ''] = Object.keys(channel.providers);
    expect(records).toEqual([
      {
        appId: 'app',
        messageId: 'm',
        attempt: 1,
        channel: name,
        provider,
        target: magic('ok'),
        content,
        request: channel.providers[provider]?.describe({
          messageId: 'm',
          target: magic('ok'),
          content,
          settings: {},
        }),
        outcome,
      },
    ]);
    expect(outcome).toEqual({ outcome: 'accepted', providerMessageId: 'sandbox-m' });
  });

  test.each<[keyof typeof magicBehaviours, number, object]>([
    ['ok', 1, { outcome: 'accepted' }],
    ['delivered', 1, { outcome: 'accepted', isDelivered: true }],
    ['bounce', 1, { outcome: 'rejected', scope: 'recipient' }],
    ['content', 1, { outcome: 'rejected', scope: 'content' }],
    ['credentials', 1, { outcome: 'rejected', scope: 'integration', sparesIntegration: true }],
    ['retry', 1, { outcome: 'retry' }],
    ['retry', 2, { outcome: 'retry' }],
    ['retry', 3, { outcome: 'accepted' }],
    ['throttle', 1, { outcome: 'retry', afterMs: 5_000 }],
    ['throttle', 2, { outcome: 'accepted' }],
    ['timeout', 1, { outcome: 'unknown' }],
    ['slow', 1, { outcome: 'accepted' }],
  ])(
    'for the recipient "%s", at attempt %i, returns the outcome of the table',
    async (word, attempt, expected) => {
      const { send, records } = setUp(name);
      const { outcome } = await send({ target: magic(word), attempt });
      expect(outcome).toMatchObject(expected);
      expect(records).toMatchObject([{ attempt, outcome }]);
    },
  );

  test('has a recipient for every word of the table', () => {
    for (const word of Object.keys(magicBehaviours)) {
      expect(channel.findMagicWord(magic(word))).toBe(word);
    }
  });
});

test('describes the request of the named integration, with its settings', async () => {
  const { send, records } = setUp('email');
  const content = { subject: 'S', text: 'T', cc: [], bcc: [], attachments: [], headers: {} };
  const settings = { host: 'smtp.example.org', port: 587, from: { address: 'n@example.com' } };
  await send({ content, integration: { provider: 'smtp', settings } });
  expect(records[0]).toMatchObject({
    provider: 'smtp',
    request: { operation: 'SMTP smtp.example.org:587', body: { message_id: 'm@example.com' } },
  });
});

test('treats an unknown word, or an inherited property name, as an ordinary recipient', async () => {
  const { send } = setUp('email');
  for (const word of ['other', 'constructor', 'toString']) {
    const target = `sandbox+${word}@example.com`;
    expect((await send({ target })).outcome.outcome).toBe('accepted');
  }
});

test('waits 5 s for the slow recipient, but not past the deadline', async () => {
  const { send, pauses } = setUp('email');
  const target = 'sandbox+slow@example.com';
  await send({ target });
  expect(pauses).toEqual([5_000]);
  expect((await send({ target, signal: AbortSignal.abort() })).outcome.outcome).toBe('unknown');
});

test('returns no outcome before the record is stored', async () => {
  const sandbox = createSandboxSender({
    channels,
    capture: () => Promise.reject(new Error('The database is unavailable')),
  });
  const call = { appId: 'a', messageId: 'm', attempt: 1, channel: 'slack', target: 'C0123456789' };
  await expect(
    sandbox.send({ ...call, content: { text: 'a' }, signal: AbortSignal.timeout(100) }),
  ).rejects.toThrow('The database is unavailable');
});

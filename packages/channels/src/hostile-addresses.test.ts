import { domainToASCII } from 'node:url';
import type { Recipient } from '@belfry/shared';
import {
  type FcmSend,
  type MailApiSend,
  type MetaSend,
  type OnesignalSend,
  readRunSeed,
  type SlackSend,
  type SmtpSend,
  type TelegramSend,
  type TwilioSend,
} from '@belfry/testing';
import fc from 'fast-check';
import type { Targeting } from './channel';
import { mailServices } from './email/api/mail-services.fixture';
import { hostileTexts } from './hostile-values.fixture';
import { closers } from './provider-subject.fixture';
import { listProviders, subjects, withoutNetwork } from './provider-subjects.fixture';
import { channels } from './registry';

const deadlineMs = 10_000;
const seed = readRunSeed(20_260_417);

/** An address field, and the recipients that the provider received. */
type AddressForm = {
  provider: string;
  field: string;
  recipient(text: string): Recipient;
  canonical: RegExp;
  /** Every recipient that the provider saw, in every place. */
  reached(send: never): unknown[];
  /** The values that the provider should see, when they differ from the address. */
  toExpected?: (address: string) => unknown[];
  /** Valid addresses that the provider does not take: nothing is sent to others. */
  takes?: RegExp;
};

const email = /^[^\s"',;:<>()[\]\\@]{1,64}@[a-z0-9.-]+$/;
const phone = /^\+[1-9]\d{6,14}$/;
const valid = ['ada@example.org', '+15005550006', 'C0123456789', '-1001234567890', '@acme_news'];

/** Services that take only a dot-atom in ASCII before the @. */
const asciiDotAtom = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*@/;

const forms: AddressForm[] = [
  ...mailServices.map(
    ({ name }): AddressForm => ({
      provider: `email/${name}`,
      field: 'email',
      recipient: (text) => ({ email: text }),
      canonical: email,
      // MIME names the recipients a second time.
      reached: ({ mail: { to, cc, bcc } }: MailApiSend) => [
        ...new Set([...to, ...cc, ...bcc].map(toAscii)),
      ],
      takes: asciiDotAtom,
    }),
  ),
  {
    provider: 'email/smtp',
    field: 'email',
    recipient: (text) => ({ email: text }),
    canonical: email,
    reached: ({ to, parsed }: SmtpSend) => [
      ...to.map(toAscii),
      ...[parsed.to ?? [], parsed.cc ?? [], parsed.bcc ?? []]
        .flat()
        .flatMap(({ value }) => value.map(({ address = '' }) => toAscii(address))),
    ],
    // Once in the envelope, once in the header.
    toExpected: (address) => [address, address],
  },
  {
    provider: 'sms/twilio',
    field: 'mobile',
    recipient: (text) => ({ mobile: text }),
    canonical: phone,
    reached: ({ fields }: TwilioSend) => fields['To'] ?? [],
  },
  {
    provider: 'whatsapp/twilio',
    field: 'whatsapp_mobile',
    recipient: (text) => ({ whatsappMobile: text }),
    canonical: phone,
    reached: ({ fields }: TwilioSend) => fields['To'] ?? [],
    toExpected: (address) => [`whatsapp:${address}`],
  },
  {
    provider: 'whatsapp/meta',
    field: 'mobile',
    recipient: (text) => ({ mobile: text }),
    canonical: phone,
    reached: ({ body }: MetaSend) => [body['to']],
  },
  {
    provider: 'slack/slack',
    field: 'channel_id',
    recipient: (text) => ({ slack: { channelId: text } }),
    canonical: /^[CGDUW][A-Z0-9]{8,}$/,
    reached: ({ channel }: SlackSend) => [channel],
  },
  {
    provider: 'slack/slack',
    field: 'email',
    recipient: (text) => ({ slack: { email: text } }),
    canonical: email,
    reached: ({ channel }: SlackSend) => [channel.charAt(0)],
    // The direct conversation with that person.
    toExpected: () => ['D'],
  },
  {
    provider: 'telegram/telegram',
    field: 'chat_id',
    recipient: (text) => ({ telegram: { chatId: text } }),
    canonical: /^(-?[1-9]\d*|@\w+)$/,
    reached: ({ chatId }: TelegramSend) => [chatId],
  },
  {
    provider: 'push/fcm',
    field: 'fcm_tokens',
    recipient: (text) => ({ fcmTokens: [text] }),
    canonical: /^[\w:-]+$/,
    reached: ({ token, topic }: FcmSend) => [token, topic],
    toExpected: (address) => [address, undefined],
  },
  {
    provider: 'push/fcm',
    field: 'fcm_topic',
    recipient: (text) => ({ fcmTopics: [text] }),
    canonical: /^\/topics\/[\w.~%-]+$/,
    reached: ({ token, topic }: FcmSend) => [token, topic],
    toExpected: (address) => [undefined, address.replace('/topics/', '')],
  },
  {
    provider: 'onesignal/onesignal',
    field: 'onesignal_external_id',
    recipient: (text) => ({ onesignalExternalId: text }),
    canonical: /^\S(.{0,126}\S)?$/su,
    reached: ({ body }: OnesignalSend) => [body['include_aliases'], body['included_segments']],
    toExpected: (address) => [{ external_id: [address] }, undefined],
  },
];

/** The simulator shows domains decoded. */
function toAscii(address: string): string {
  return address.replace(/[^@]+$/, (domain) => domainToASCII(domain));
}

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A call cannot name an address: the API validates the endpoint of a stored device, see devices.int.test.ts. */
const byDeviceOnly = ['push/web_push'];

test('every provider with a network call is tested with hostile addresses', () => {
  const tested = [...new Set(forms.map(({ provider }) => provider)), ...byDeviceOnly];
  expect([...tested, ...withoutNetwork].sort()).toEqual(listProviders().sort());
});

describe.each(forms.map((form) => [`${form.provider}, ${form.field}`, form] as const))(
  '%s',
  (_name, form) => {
    test('a hostile address reaches nobody, or only the recipient that it names', async () => {
      const reach = await setUp(form);
      for (const text of [...hostileAddresses, ...hostileTexts]) await reach(text);
    });

    test(`so does an address with any text before, after or inside it (seed ${seed})`, async () => {
      const reach = await setUp(form);
      const piece = fc.oneof(
        fc.constantFrom(...valid),
        fc.constantFrom(...hostileTexts),
        fc.constantFrom(
          ',',
          ';',
          ' ',
          '\n',
          '\r\n',
          '<',
          '>',
          '"',
          '\0',
          '%0a',
          '@',
          '+',
          '\u200b',
        ),
      );
      const text = fc.array(piece, { minLength: 1, maxLength: 4 }).map((all) => all.join(''));
      await fc.assert(fc.asyncProperty(text, reach), { seed, numRuns: 300 });
    });
  },
);

const hostileAddresses = [
  ...valid,
  '+1 500 555 0006',
  '004512345678',
  'tel:+15005550006',
  'whatsapp:+15005550006',
  '+15005550006,+15005550007',
  '+15005550006;ext=1',
  'bob+tag@example.org',
  'bob@exämple.org',
  'a@x.org,b@y.org',
  'a@x.org b@y.org',
  'a@x.org\r\nBcc: b@y.org',
  'a@x.org>\r\nRCPT TO:<b@y.org',
  'A <a@x.org>',
  '"xclow3n@gmail.com x"@internal.domain',
  'a%b@x.org',
  '@a.org:b@c.org',
  'a@[127.0.0.1]',
  'C0123456789,C0123456780',
  'C0123456789 U0123456789',
  'U0123456789 eve@evil.org',
  '#general',
  '@channel',
  '-1001234567890,4242',
  '1e5',
  '00',
];

test.each<[string, Targeting, string | undefined]>([
  ['+1 500 555 0006', mobile('+1 500 555 0006'), '+15005550006'],
  ['0045…', mobile('004512345678'), '+4512345678'],
  ['tel:', mobile('tel:+15005550006'), '+15005550006'],
  ['a number without +', mobile('4520123456'), '+4520123456'],
  ['bob+tag@', mail('bob+tag@example.org'), 'bob+tag@example.org'],
  ['bob@exämple.org', mail('bob@exämple.org'), 'bob@xn--exmple-cua.org'],
  ['a@x,b@y', mail('a@x.org,b@y.org'), undefined],
  ['a quoted local part', mail('"xclow3n@gmail.com x"@internal.domain'), undefined],
  [
    'a chat by number',
    channels.telegram.findTargets({ telegram: { chatId: '-1001234567890' } }),
    '-1001234567890',
  ],
])('%s is sent to one canonical address, or not at all', (_text, targeting, address) => {
  expect(listAddresses(targeting)).toEqual(address === undefined ? [] : [address]);
});

function mobile(text: string): Targeting {
  return channels.sms.findTargets({ mobile: text });
}

function mail(text: string): Targeting {
  return channels.email.findTargets({ email: text });
}

function listAddresses(targeting: Targeting): string[] {
  return 'skip' in targeting ? [] : targeting.targets.map(({ address }) => address);
}

async function setUp(form: AddressForm) {
  const { provider, recipient, canonical, reached, toExpected, takes = /^/ } = form;
  const subject = subjects[provider];
  if (!subject) throw new Error(`No subject ${provider}`);
  const { sender, call, sends } = await subject.start();
  const find = createFinder(provider);

  return async function reach(text: string): Promise<void> {
    const targeting = find(recipient(text));
    if ('skip' in targeting) {
      expect(['invalid_address', 'no_address']).toContain(targeting.skip);
      return;
    }
    const [address = '', ...others] = listAddresses(targeting);
    expect(others).toEqual([]);
    expect(address).toMatch(canonical);
    expect(listAddresses(find(recipient(address)))).toEqual([address]);
    const before = sends().length;
    const signal = AbortSignal.timeout(deadlineMs);
    const deadlineAt = Date.now() + deadlineMs;
    const { outcome } = await sender.send({ ...call, target: address, signal, deadlineAt });
    const sent = sends().slice(before);
    if (!takes.test(address)) {
      expect(outcome).toMatchObject({ outcome: 'rejected', scope: 'recipient' });
      expect(sent).toEqual([]);
      return;
    }
    expect(sent).toHaveLength(1);
    // A send is what this provider's simulator recorded.
    expect(reached(sent[0] as never)).toEqual(toExpected?.(address) ?? [address]);
  };
}

function createFinder(provider: string): (recipient: Recipient) => Targeting {
  const [name = ''] = provider.split('/');
  const channel = Object.entries(channels).find(([each]) => each === name)?.[1];
  if (!channel) throw new Error(`No channel ${name}`);
  return (recipient) => channel.findTargets(recipient);
}

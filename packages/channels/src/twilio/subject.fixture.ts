import { createTwilioSimulator, findClosedPort, type TwilioFault } from '@belfry/testing';
import type { Provider } from '../channel';
import {
  closers,
  credential,
  deps,
  listenAndDrop,
  rejected,
  type Subject,
} from '../provider-subject.fixture';
import { twilioCodes } from './codes';

const accountSid = `AC${'0'.repeat(32)}`;
const message = `Authenticate with ${credential}`;

/**
 * The contract suite's subject for Twilio's provider of a channel: every code of the table, and
 * HTTP errors.
 */
export function createTwilioSubject<Content>({
  provider,
  content,
}: {
  provider: Provider<Content>;
  content: Content;
}): Subject {
  return {
    provider,
    id: /^SM[0-9a-f]{32}$/,
    start: () => start(provider, content),
    faultsBefore: [],
    faultsAfter: [{ reset: 'before' }, { reset: 'after' }, { truncated: true }],
    hang: { hang: true },
    redirectTo: (url) => ({ redirectTo: url }),
    refusal: { code: 20003, with: { message } },
    echoes: [
      { code: 20003, with: { message, detail: message } },
      { code: 21617, with: { message: Buffer.from(credential).toString('base64') } },
      { reply: { status: 500, body: message } },
    ],
    rows: [...createCodeRows(), ...httpRows],
  };
}

async function start<Content>(provider: Provider<Content>, content: Content) {
  // The simulator lists no messages, as Twilio may list them late, so a lost response stays
  // unknown.
  const simulator = await createTwilioSimulator({ isListing: false });
  const senderTo = (url: string) => {
    const sender = provider.createSender({ ...deps, baseUrls: { twilio: url } });
    closers.push(sender.close);
    return sender;
  };
  closers.push(simulator.close);
  const call = {
    messageId: '0193-twilio',
    target: '+15005550006',
    content,
    settings: { sender: '+15005550009' },
    integrationId: 'i3',
    integrationVersion: '1',
    credentials: { account_sid: accountSid, auth_token: credential },
    receiptUrl: 'https://belfry.example/v1/receipts/i3/s3cret?message=0193-twilio',
  };
  return {
    sender: senderTo(simulator.url),
    call,
    sends: () => simulator.sends,
    requests: () => simulator.requests,
    fail: (fault: unknown) => simulator.fail(fault as TwilioFault),
    async callTo(place: 'closed port' | 'no TLS') {
      const isClosed = place === 'closed port';
      const port = isClosed ? await findClosedPort() : await listenAndDrop();
      const scheme = isClosed ? 'http' : 'https';
      return { ...call, sender: senderTo(`${scheme}://127.0.0.1:${port}`) };
    },
  };
}

function createCodeRows(): Subject['rows'] {
  return Object.entries(twilioCodes).map(([code, { outcome, ...verdict }]) => [
    code,
    { code: Number(code) },
    { ...('scope' in verdict ? rejected(verdict.scope) : { outcome }), reason: code },
  ]);
}

const httpRows: Subject['rows'] = [
  [
    '20429 with Retry-After',
    { reply: { status: 429, headers: { 'retry-after': '7' }, body: { code: 20429 } } },
    { outcome: 'retry', afterMs: 7_000 },
  ],
  [
    '429 with Retry-After and no code',
    { reply: { status: 429, headers: { 'retry-after': '7' }, body: '' } },
    { outcome: 'retry', afterMs: 7_000 },
  ],
  ['429 without Retry-After', { reply: { status: 429, body: '' } }, { outcome: 'retry' }],
  ['an unknown code with status 400', { code: 29999 }, rejected('content')],
  ['an unknown code with status 500', { code: 29999, status: 500 }, { outcome: 'unknown' }],
  ['an unknown code with status 429', { code: 29999, status: 429 }, { outcome: 'retry' }],
  [
    'a code in the newer form of errors',
    { reply: { status: 400, body: { type: 'about:blank', title: 'T', status: 400, code: 21610 } } },
    rejected('recipient'),
  ],
  ['401 without a code', { reply: { status: 401, body: '' } }, rejected('integration')],
  ['404 without a code', { reply: { status: 404, body: '<html>' } }, rejected('content')],
  ['500', { reply: { status: 500, body: 'oops' } }, { outcome: 'unknown' }],
  ['502', { reply: { status: 502, body: '<html>' } }, { outcome: 'unknown' }],
  ['503', { reply: { status: 503, body: '' } }, { outcome: 'unknown' }],
  ['504', { reply: { status: 504, body: '' } }, { outcome: 'unknown' }],
  ['HTML with status 201', { reply: { status: 201, body: '<html>' } }, { outcome: 'unknown' }],
  ['no id with status 201', { reply: { status: 201, body: {} } }, { outcome: 'unknown' }],
  [
    'a message that failed, with status 201',
    { reply: { status: 201, body: { sid: 'SM1', status: 'failed', error_code: 21610 } } },
    rejected('recipient'),
  ],
];

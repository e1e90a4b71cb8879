import {
  createFcmSimulator,
  type FcmFault,
  fcmSendPath,
  findClosedPort,
  simulatedServiceAccount,
} from '@belfry/testing';
import type { Provider } from '../channel';
import {
  closers,
  credential,
  deps,
  listenAndDrop,
  rejected,
  type Subject,
} from '../provider-subject.fixture';
import { fcm } from './fcm';
import { type FcmCode, fcmCodes, googleStatuses, invalidTokenMessage } from './fcm-codes';
import type { PushContent } from './template';

const content: PushContent = { title: 'Hello', body: 'Hello', data: {} };

const refuse = (http: number, status: string, errorCode?: string, more = {}): FcmFault => ({
  http,
  status,
  ...(errorCode === undefined ? {} : { errorCode }),
  ...more,
});
const reply = (status: number, body: string | object = '', headers = {}): FcmFault => ({
  on: fcmSendPath,
  reply: { status, body, headers },
});
const tokenReply = (status: number, body: string | object = '', headers = {}): FcmFault => ({
  on: '/token',
  reply: { status, body, headers },
});

/** Each code with the status that FCM sends. */
const statuses: Record<keyof typeof fcmCodes, [number, string]> = {
  UNREGISTERED: [404, 'NOT_FOUND'],
  INVALID_ARGUMENT: [400, 'INVALID_ARGUMENT'],
  SENDER_ID_MISMATCH: [403, 'PERMISSION_DENIED'],
  THIRD_PARTY_AUTH_ERROR: [401, 'UNAUTHENTICATED'],
  QUOTA_EXCEEDED: [429, 'RESOURCE_EXHAUSTED'],
  UNAVAILABLE: [503, 'UNAVAILABLE'],
  INTERNAL: [500, 'INTERNAL'],
};

const googleHttp: Record<keyof typeof googleStatuses, number> = {
  INVALID_ARGUMENT: 400,
  NOT_FOUND: 404,
  PERMISSION_DENIED: 403,
  UNAUTHENTICATED: 401,
  RESOURCE_EXHAUSTED: 429,
  UNAVAILABLE: 503,
};

function createRow(name: string, fault: FcmFault, code: FcmCode): Subject['rows'][number] {
  const { sentence } = code;
  const verdict =
    code.outcome === 'retry'
      ? { outcome: 'retry' as const, afterMs: code.afterMs }
      : rejected(code.scope);
  return [
    name,
    fault,
    { ...verdict, reason: name.split(' ')[0]?.toLowerCase() ?? '', detail: sentence },
  ];
}

const ownRows = Object.entries(statuses).map(([name, [http, status]]) =>
  createRow(name, refuse(http, status, name), fcmCodes[name as keyof typeof fcmCodes]),
);
/** Google refuses a token, and then the replacement too. */
const twice = (fault: FcmFault) => [fault, fault];
const googleRows = Object.entries(googleHttp).map(([name, http]) => {
  const fault = refuse(http, name);
  const [, , expected] = createRow(
    name,
    fault,
    googleStatuses[name as keyof typeof googleStatuses],
  );
  const row: Subject['rows'][number] = [
    `${name} without an FCM code`,
    http === 401 ? twice(fault) : fault,
    expected,
  ];
  return row;
});

/** The contract suite's subject for FCM. */
export const fcmSubject: Subject = {
  // The suite passes only the content defined here.
  provider: fcm as Provider<unknown>,
  id: /^projects\/simulated-project\/messages\/\d+$/,
  async start() {
    const simulator = await createFcmSimulator({ accessToken: credential });
    const senderTo = (url: string) => {
      const sender = fcmSubject.provider.createSender({ ...deps, baseUrls: { fcm: url } });
      closers.push(sender.close);
      return sender;
    };
    closers.push(simulator.close);
    const account = { ...JSON.parse(simulatedServiceAccount()), private_key_id: credential };
    const call = {
      messageId: '0193-fcm',
      target: 'token:1',
      content,
      settings: {},
      integrationId: 'i6',
      integrationVersion: '1',
      credentials: { service_account: JSON.stringify(account) },
    };
    const sender = senderTo(simulator.url);
    // Load the library and fetch the access token first, so that a fault hits a message.
    const signal = AbortSignal.timeout(10_000);
    await sender.send({ ...call, signal, deadlineAt: Date.now() + 10_000 });
    simulator.sends.length = 0;
    return {
      sender,
      call,
      sends: () => simulator.sends,
      requests: () => simulator.requests,
      fail: (fault) => simulator.fail(...([fault].flat() as FcmFault[])),
      async callTo(place) {
        const isClosed = place === 'closed port';
        const port = isClosed ? await findClosedPort() : await listenAndDrop();
        const scheme = isClosed ? 'http' : 'https';
        return { ...call, sender: senderTo(`${scheme}://127.0.0.1:${port}`) };
      },
    };
  },
  faultsBefore: [],
  faultsAfter: [
    { on: fcmSendPath, reset: 'before' },
    { on: fcmSendPath, reset: 'after' },
    { on: fcmSendPath, truncated: true },
  ],
  hang: { on: fcmSendPath, hang: true },
  redirectTo: (url) => ({ on: fcmSendPath, redirectTo: url }),
  refusal: { tokenError: 'invalid_grant', description: credential },
  echoes: [
    refuse(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT', { message: `Bearer ${credential}` }),
    refuse(403, credential, credential, {
      details: [{ fieldViolations: [{ description: credential }] }],
    }),
    reply(500, credential),
    reply(200, credential),
    reply(200, { name: `${credential}/${credential}` }),
    reply(400, { error: credential }),
  ],
  rows: [
    ...ownRows,
    ...googleRows,
    [
      'an invalid token',
      refuse(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT', { message: `${invalidTokenMessage}.` }),
      { ...rejected('recipient'), reason: 'invalid_token' },
    ],
    [
      'a wrong field',
      refuse(400, 'INVALID_ARGUMENT', undefined, {
        message: 'Invalid value at message.data[0].value',
        details: [{ fieldViolations: [{ field: 'message.data', description: 'Invalid value' }] }],
      }),
      { ...rejected('content'), reason: 'invalid_argument' },
    ],
    [
      'a message that is too big',
      refuse(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT', {
        message: 'Android message is too big',
      }),
      rejected('content'),
    ],
    [
      'a quota with a wait',
      refuse(429, 'RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED', { headers: { 'retry-after': '77' } }),
      { outcome: 'retry', afterMs: 77_000 },
    ],
    [
      'an overload with a wait that is too short',
      refuse(503, 'UNAVAILABLE', 'UNAVAILABLE', { headers: { 'retry-after': '1' } }),
      { outcome: 'retry', afterMs: 10_000 },
    ],
    ['an unknown code with 404', refuse(404, 'NOT_FOUND', 'SOMETHING_NEW'), rejected('content')],
    ['an unknown code with 500', refuse(500, 'INTERNAL', 'SOMETHING_NEW'), { outcome: 'unknown' }],
    ['429 as a page', reply(429, '<html>'), { outcome: 'retry', afterMs: 60_000 }],
    [
      '429 as a page with a wait',
      reply(429, '', { 'retry-after': '7' }),
      { outcome: 'retry', afterMs: 7_000 },
    ],
    ['404 as a page', reply(404, '<html>'), { outcome: 'rejected' }],
    ['401 as a page', twice(reply(401, '<html>')), rejected('integration')],
    ['500 without a code', reply(500, 'oops'), { outcome: 'unknown' }],
    ['502', reply(502, '<html>'), { outcome: 'unknown' }],
    ['503', reply(503), { outcome: 'retry' }],
    ['504', reply(504), { outcome: 'unknown' }],
    ['HTML with status 200', reply(200, '<html>Hello</html>'), { outcome: 'unknown' }],
    ['no name with status 200', reply(200, { name: '' }), { outcome: 'unknown' }],
    ['a redirect', { on: fcmSendPath, redirectTo: 'http://127.0.0.1:1/' }, { outcome: 'retry' }],
    // When Google refuses a token, a new one is fetched, and the token endpoint reports the cause.
    ...withRefusedToken([
      [{ tokenError: 'invalid_grant' }, { ...rejected('integration'), reason: 'invalid_grant' }],
      [
        { tokenError: 'invalid_client', http: 401 },
        { ...rejected('integration'), reason: 'invalid_client' },
      ],
      [tokenReply(403, '<html>'), { ...rejected('integration'), reason: 'token_refused' }],
      [tokenReply(500, 'oops'), { outcome: 'retry', reason: 'no_access_token' }],
      [tokenReply(503, '', { 'retry-after': '20' }), { outcome: 'retry', afterMs: 20_000 }],
      [tokenReply(429, ''), { outcome: 'retry' }],
      [tokenReply(200, '<html>'), { outcome: 'retry', reason: 'no_access_token' }],
      [tokenReply(200, { access_token: 'a b', expires_in: 9 }), { outcome: 'retry' }],
      [
        { on: '/token', reset: 'after' },
        { outcome: 'retry', reason: 'connection_lost' },
      ],
      [{ on: '/token', truncated: true }, { outcome: 'retry' }],
      [{ on: '/token', redirectTo: 'http://127.0.0.1:1/' }, { outcome: 'retry' }],
    ]),
  ],
};

function withRefusedToken(rows: [FcmFault, Subject['rows'][number][2]][]): Subject['rows'] {
  return rows.map(([fault, expected]) => [
    `no access token: ${JSON.stringify(fault)}`,
    [refuse(401, 'UNAUTHENTICATED'), fault],
    expected,
  ]);
}

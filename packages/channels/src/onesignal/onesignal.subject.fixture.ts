import { createOnesignalSimulator, findClosedPort, type OnesignalFault } from '@belfry/testing';
import type { Provider } from '../channel';
import {
  closers,
  credential,
  deps,
  listenAndDrop,
  rejected,
  type Subject,
} from '../provider-subject.fixture';
import { onesignalApi } from './onesignal';
import type { OnesignalContent } from './template';

const content: OnesignalContent = { title: 'Hello', body: 'Hello', data: {} };
const personId = 'person-1';
let messages = 0;

const reply = (status: number, body: string | object = '', headers = {}): OnesignalFault => ({
  reply: { status, body, headers },
});
const refuse = (status: number, ...errors: string[]): OnesignalFault => ({ errors, status });
const yesBut = (id: string, errors: unknown): OnesignalFault => ({ errors, id });
const rejectedRecipient = { ...rejected('recipient') };

/** The contract suite's subject for OneSignal. */
export const onesignalSubject: Subject = {
  // The suite passes only the content defined here.
  provider: onesignalApi as Provider<unknown>,
  id: /^00000000-0000-4000-8000-\d{12}$/,
  async start() {
    const simulator = await createOnesignalSimulator();
    const senderTo = (url: string) => {
      const sender = onesignalSubject.provider.createSender({
        ...deps,
        baseUrls: { onesignal: url },
      });
      closers.push(sender.close);
      return sender;
    };
    closers.push(simulator.close);
    const call = {
      get messageId() {
        // A new message ID each time, because OneSignal ignores repeated requests.
        messages += 1;
        return `01930000-0000-7000-8000-${String(messages).padStart(12, '0')}`;
      },
      target: personId,
      content,
      settings: { app_id: '11111111-1111-4111-8111-111111111111' },
      integrationId: 'i7',
      integrationVersion: '1',
      credentials: { rest_api_key: credential },
    };
    return {
      sender: senderTo(simulator.url),
      call,
      sends: () => simulator.sends,
      requests: () => simulator.requests,
      fail: (fault) => simulator.fail(fault as OnesignalFault),
      async callTo(place) {
        const isClosed = place === 'closed port';
        const port = isClosed ? await findClosedPort() : await listenAndDrop();
        const scheme = isClosed ? 'http' : 'https';
        return { ...call, sender: senderTo(`${scheme}://127.0.0.1:${port}`) };
      },
    };
  },
  faultsBefore: [],
  faultsAfter: [{ reset: 'before' }, { reset: 'after' }, { truncated: true }],
  hang: { hang: true },
  redirectTo: (url) => ({ redirectTo: url }),
  refusal: refuse(403, `Access denied for ${credential}`),
  echoes: [
    refuse(400, `Key ${credential}`),
    refuse(401, credential),
    yesBut('', { [credential]: [credential] }),
    yesBut('', [credential]),
    reply(500, credential),
    reply(200, credential),
    reply(200, { id: '', errors: credential }),
  ],
  rows: [
    [
      'zeyneloz/onesignal-node#9: 200, nobody is subscribed',
      yesBut('', ['All included players are not subscribed']),
      { ...rejectedRecipient, reason: 'no_subscription' },
    ],
    [
      '200 without an id',
      reply(200, { id: '' }),
      { ...rejectedRecipient, reason: 'no_subscription' },
    ],
    [
      '200 with errors and no id at all',
      reply(200, { errors: ['All included players are not subscribed'] }),
      { ...rejectedRecipient, reason: 'no_subscription' },
    ],
    [
      '200 with an unknown alias',
      yesBut('', { invalid_aliases: { external_id: [personId] } }),
      { ...rejectedRecipient, reason: 'invalid_aliases' },
    ],
    [
      'OneSignal/onesignal-go-api#38: 200 with an id and an unknown alias',
      yesBut('9f4c', { invalid_aliases: { external_id: [personId] } }),
      { ...rejectedRecipient, reason: 'invalid_aliases' },
    ],
    [
      '200 with an id and an unknown user',
      yesBut('9f4c', { invalid_external_user_ids: [personId] }),
      { ...rejectedRecipient, reason: 'invalid_aliases' },
    ],
    ['200 with another text and no id', yesBut('', ['Something new']), rejectedRecipient],
    ['HTML with status 200', reply(200, '<html>Hello</html>'), { outcome: 'unknown' }],
    ['an empty object with status 200', reply(200, {}), { outcome: 'unknown' }],
    ['an overlong id', reply(200, { id: 'x'.repeat(500) }), { outcome: 'unknown' }],
    [
      '400 without English',
      refuse(400, 'Message Notifications must have English language content'),
      rejected('content'),
    ],
    ['400 of a wrong app', refuse(400, 'app_id not found'), rejected('integration')],
    ['404 of a wrong app', refuse(404, 'No app with this id'), rejected('integration')],
    ['400 of a field', refuse(400, 'big_picture is no URL'), rejected('content')],
    ['400 of a placeholder id', refuse(400, 'external_id is restricted'), rejected('recipient')],
    ['400 with an object', { errors: { title: 'x' } }, rejected('content')],
    ['400 without a body', reply(400), rejected('content')],
    ['401', refuse(401, 'Access denied'), rejected('integration')],
    ['403', refuse(403, 'Please include a header of Authorization'), rejected('integration')],
    ['403 as a page', reply(403, '<html>'), rejected('integration')],
    [
      '409',
      refuse(409, 'Idempotency key was used'),
      { ...rejected('content'), reason: 'idempotency_conflict' },
    ],
    ['409 without a text', reply(409), { ...rejected('content'), reason: 'idempotency_conflict' }],
    [
      '409 in progress',
      refuse(409, 'Request is in progress'),
      { outcome: 'retry', afterMs: 5_000 },
    ],
    ['429', reply(429), { outcome: 'retry', afterMs: 60_000 }],
    [
      '429 with Retry-After',
      reply(429, { errors: ['API rate limit exceeded'] }, { 'retry-after': '7' }),
      { outcome: 'retry', afterMs: 7_000 },
    ],
    ['500', reply(500, { errors: ['oops'] }), { outcome: 'unknown' }],
    ['502', reply(502, '<html>'), { outcome: 'unknown' }],
    ['503', reply(503), { outcome: 'retry' }],
    ['504', reply(504), { outcome: 'unknown' }],
    ['a redirect', { redirectTo: 'http://127.0.0.1:1/' }, { outcome: 'retry' }],
  ],
};

import {
  createWebPushSimulator,
  findClosedPort,
  type WebPushFault,
  type WebPushSimulator,
} from '@belfry/testing';
import type { Provider } from '../channel';
import {
  closers,
  credential,
  deps,
  listenAndDrop,
  type Subject,
} from '../provider-subject.fixture';
import type { PushContent } from './template';
import { webPush } from './web-push';
import { type WebPushCode, webPushCodes } from './web-push-codes';

const content: PushContent = { title: 'Hello', body: 'Hello', data: {} };

/** A pair made by `web-push generate-vapid-keys`, for tests only. */
export const simulatedVapidKeys = {
  public_key:
    'BNvLP_swI0KBo3RU243SwjSA92rPAP2OhL0NbRcR7748sMhZfgk84GBioVCKKTz65NNrrIx4WiS2qxuV7YmMyyU',
  private_key: 'uvcl4jifu-_KrVD552A5C_M64aclIqfouJrvY_YjEO0',
};
const settings = { subject: 'mailto:push@example.com' };

const reply = (status: number, body: string | object = '', headers = {}): WebPushFault => ({
  reply: { status, body, headers },
});

const texts: Partial<Record<keyof typeof webPushCodes, [number, string]>> = {
  other_key: [400, '{"reason":"VapidPkHashMismatch"}'],
};

/** Each code with the first status that means it. */
const codeRows = Object.entries<WebPushCode>(webPushCodes).flatMap(
  ([reason, code]): Subject['rows'] =>
    code.statuses.map((status) => {
      const [own = status, body = ''] = texts[reason as keyof typeof webPushCodes] ?? [];
      const { outcome, sentence: detail } = code;
      const more = code.outcome === 'retry' ? { afterMs: code.afterMs } : { scope: code.scope };
      return [`${status}: ${reason}`, reply(own, body), { outcome, reason, detail, ...more }];
    }),
);

/** The contract suite's subject for web push. */
export const webPushSubject: Subject = {
  // The suite passes only the content defined here.
  provider: webPush as Provider<unknown>,
  isTestLocal: true,
  id: /^m\d+$/,
  async start() {
    const simulator = await createWebPushSimulator();
    closers.push(simulator.close);
    return createStage(simulator);
  },
  faultsBefore: [],
  faultsAfter: [{ reset: 'before' }, { reset: 'after' }, { truncated: true }],
  hang: { hang: true },
  redirectTo: (url) => ({ redirectTo: url }),
  refusal: reply(403, credential),
  echoes: [
    reply(400, credential),
    reply(401, { errno: credential, reason: credential, message: credential }),
    reply(403, credential),
    reply(500, credential),
    reply(200, credential, { location: `https://push.example.com/m/${credential} ` }),
  ],
  rows: [
    ...codeRows,
    [
      'FCM’s text for another key',
      reply(403, 'the VAPID credentials … do not correspond to the credentials used to create'),
      { outcome: 'rejected', scope: 'recipient', reason: 'other_key', skip: 'device_gone' },
    ],
    [
      'Apple’s word for a bad token',
      reply(403, { reason: 'BadJwtToken' }),
      { outcome: 'rejected', scope: 'integration', sparesIntegration: true },
    ],
    ['a wait', reply(429, '', { 'retry-after': '77' }), { outcome: 'retry', afterMs: 77_000 }],
    [
      'a wait of a fault',
      reply(503, '', { 'retry-after': '7' }),
      { outcome: 'retry', afterMs: 7_000 },
    ],
    ['an unlisted refusal', reply(405), { outcome: 'rejected', scope: 'content' }],
    ['an unlisted fault', reply(507), { outcome: 'unknown' }],
    ['a redirect', { redirectTo: 'http://127.0.0.1:1/' }, { outcome: 'retry' }],
  ],
};

function createStage(simulator: WebPushSimulator) {
  const senderTo = (url: string) => {
    const sender = webPushSubject.provider.createSender({ ...deps, baseUrls: { web_push: url } });
    closers.push(sender.close);
    return sender;
  };
  const { endpoint: target, keys } = simulator.subscribe();
  const call = {
    messageId: '01930000-0000-7000-8000-000000000001',
    target,
    content,
    settings,
    integrationId: 'i8',
    integrationVersion: '1',
    credentials: simulatedVapidKeys,
    webPush: { ...keys, expiresAtMs: Date.now() + 60_000 },
  };
  return {
    sender: senderTo(simulator.url),
    call,
    sends: () => simulator.sends,
    requests: () => simulator.requests,
    fail: (fault: unknown) => simulator.fail(fault as WebPushFault),
    async callTo(place: 'closed port' | 'no TLS') {
      const isClosed = place === 'closed port';
      const port = isClosed ? await findClosedPort() : await listenAndDrop();
      const scheme = isClosed ? 'http' : 'https';
      return { ...call, sender: senderTo(`${scheme}://127.0.0.1:${port}`) };
    },
  };
}

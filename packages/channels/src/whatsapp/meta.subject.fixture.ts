import { createMetaSimulator, findClosedPort, type MetaFault } from '@belfry/testing';
import type { Provider } from '../channel';
import {
  closers,
  credential,
  deps,
  listenAndDrop,
  rejected,
  type Subject,
} from '../provider-subject.fixture';
import { meta } from './meta';
import { type MetaCode, metaCodes } from './meta-codes';
import type { WhatsappContent } from './template';

const content: WhatsappContent = { kind: 'text', text: 'Hello' };
const reply = (status: number, body: string | object = '', headers = {}): MetaFault => ({
  reply: { status, body, headers },
});

/** The contract suite's subject for Meta. */
export const metaSubject: Subject = {
  // The suite passes only the content defined here.
  provider: meta as Provider<unknown>,
  id: /^wamid\.\w+$/,
  async start() {
    const simulator = await createMetaSimulator();
    const senderTo = (url: string) => {
      const sender = metaSubject.provider.createSender({ ...deps, baseUrls: { meta: url } });
      closers.push(sender.close);
      return sender;
    };
    closers.push(simulator.close);
    const call = {
      messageId: '0193-meta',
      target: '+4512345678',
      content,
      settings: { sender: '100000000000001' },
      integrationId: 'i3',
      integrationVersion: '1',
      credentials: { access_token: credential, app_secret: credential, verify_token: credential },
    };
    return {
      sender: senderTo(simulator.url),
      call,
      sends: () => simulator.sends,
      requests: () => simulator.requests,
      fail: (fault) => simulator.fail(fault as MetaFault),
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
  refusal: { code: 190, status: 401, with: { message: `Not ${credential}` } },
  echoes: [
    { code: 100, with: { message: `Bearer ${credential}`, error_data: { details: credential } } },
    { code: 190, with: { type: credential, fbtrace_id: credential, error_user_msg: credential } },
    reply(500, credential),
    reply(200, credential),
    reply(400, { error: credential }),
  ],
  rows: [
    ...Object.entries(metaCodes).map(([code, row]: [string, MetaCode]): Subject['rows'][number] => [
      `code ${code}`,
      { code: Number(code) },
      {
        reason: code,
        detail: row.sentence,
        ...(row.outcome === 'rejected' ? rejected(row.scope) : { outcome: 'retry' }),
      },
    ]),
    ['a permission', { code: 230, status: 403 }, rejected('integration')],
    ['131026', { code: 131026 }, { outcome: 'retry', afterMs: 3_600_000, maxAttempts: 2 }],
    ['131056', { code: 131056 }, { outcome: 'retry', afterMs: 6_000 }],
    ['an unknown code', { code: 199_999 }, { ...rejected('content'), reason: '199999' }],
    ['an unknown code with 401', { code: 199_999, status: 401 }, rejected('integration')],
    ['an unknown code with 500', { code: 199_999, status: 500 }, { outcome: 'unknown' }],
    ['an unknown code with 200', { code: 199_999, status: 200 }, rejected('content')],
    [
      'an unknown code that Meta calls transient',
      { code: 199_999, with: { is_transient: true } },
      { outcome: 'retry', reason: '199999' },
    ],
    ['an error with 200', { code: 131_047, status: 200 }, rejected('content')],
    ['a fault with 500', { code: 131_000, status: 500 }, { outcome: 'retry', afterMs: 60_000 }],
    [
      '429 with Retry-After',
      reply(429, '', { 'retry-after': '7' }),
      { outcome: 'retry', afterMs: 7_000 },
    ],
    ['429 without Retry-After', reply(429), { outcome: 'retry', reason: 'http_429' }],
    ['401 without a code', reply(401, {}), rejected('integration')],
    ['400 without a code', reply(400, '<html>'), rejected('content')],
    ['500', reply(500, 'oops'), { outcome: 'unknown' }],
    ['502', reply(502, '<html>'), { outcome: 'unknown' }],
    ['503', reply(503), { outcome: 'retry' }],
    ['504', reply(504), { outcome: 'unknown' }],
    ['HTML with status 200', reply(200, '<html>Hello</html>'), { outcome: 'unknown' }],
    ['no message with status 200', reply(200, { messages: [] }), { outcome: 'unknown' }],
    ['an empty id with status 200', reply(200, { messages: [{ id: '' }] }), { outcome: 'unknown' }],
  ],
};

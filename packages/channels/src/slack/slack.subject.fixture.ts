import { createSlackSimulator, findClosedPort, type SlackFault } from '@belfry/testing';
import type { Provider } from '../channel';
import {
  closers,
  credential,
  deps,
  listenAndDrop,
  rejected,
  type Subject,
} from '../provider-subject.fixture';
import { slackCodes } from './codes';
import type { SlackContent } from './template';
import { slackWebApi } from './web-api';

const slackContent: SlackContent = { text: 'Hello' };

/** The contract suite's subject for Slack. */
export const slackSubject: Subject = {
  // The suite passes only the content defined here.
  provider: slackWebApi as Provider<unknown>,
  id: /^C0123456789:\d+\.\d+$/,
  async start() {
    const simulator = await createSlackSimulator();
    const senderTo = (url: string) => {
      const sender = slackSubject.provider.createSender({ ...deps, baseUrls: { slack: url } });
      closers.push(sender.close);
      return sender;
    };
    closers.push(simulator.close);
    const call = {
      messageId: '0193-slack',
      target: 'C0123456789',
      content: slackContent,
      settings: {},
      integrationId: 'i2',
      integrationVersion: '1',
      credentials: { access_token: credential },
    };
    return {
      sender: senderTo(simulator.url),
      call,
      sends: () => simulator.sends,
      requests: () => simulator.requests,
      fail: (fault) => simulator.fail(fault as SlackFault),
      async callTo(place) {
        const isClosed = place === 'closed port';
        const port = isClosed ? await findClosedPort() : await listenAndDrop();
        const scheme = isClosed ? 'http' : 'https';
        return { ...call, sender: senderTo(`${scheme}://127.0.0.1:${port}/api/`) };
      },
    };
  },
  faultsBefore: [],
  faultsAfter: [{ reset: 'before' }, { reset: 'after' }, { truncated: true }],
  hang: { hang: true },
  redirectTo: (url) => ({ redirectTo: url }),
  refusal: { error: 'invalid_auth', with: { needed: credential } },
  echoes: [
    { error: 'missing_scope', with: { needed: credential, errors: [`Bearer ${credential}`] } },
    { error: 'invalid_arguments', with: { response_metadata: { messages: [credential] } } },
    { error: credential },
    { reply: { status: 500, body: credential } },
  ],
  rows: [
    ...Object.entries(slackCodes).map(([error, code]): Subject['rows'][number] => [
      error,
      { error },
      {
        ...(code.outcome === 'rejected' ? rejected(code.scope) : { outcome: code.outcome }),
        reason: error,
      },
    ]),
    ['an unlisted restriction', { error: 'restricted_action_new' }, rejected('recipient')],
    ['an unlisted metadata code', { error: 'invalid_metadata_new' }, rejected('content')],
    ['an unknown code', { error: 'something_new' }, rejected('content')],
    [
      '429 with Retry-After',
      { reply: { status: 429, headers: { 'retry-after': '7' }, body: '' } },
      { outcome: 'retry', afterMs: 7_000 },
    ],
    [
      '429 with half a second',
      { reply: { status: 429, headers: { 'retry-after': '0.5' }, body: '' } },
      { outcome: 'retry', afterMs: 1_000 },
    ],
    ['429 without Retry-After', { reply: { status: 429, body: '' } }, { outcome: 'retry' }],
    ['500', { reply: { status: 500, body: 'oops' } }, { outcome: 'unknown' }],
    ['502', { reply: { status: 502, body: '<html>' } }, { outcome: 'unknown' }],
    ['503', { reply: { status: 503, body: '' } }, { outcome: 'retry' }],
    ['504', { reply: { status: 504, body: '' } }, { outcome: 'unknown' }],
    ['HTML with status 200', { reply: { body: '<html>Hello</html>' } }, { outcome: 'unknown' }],
  ],
};

import { findClosedPort, type HttpFault, type MailApiSimulator } from '@belfry/testing';
import type { Provider } from '../../channel';
import {
  closers,
  credential,
  deps,
  listenAndDrop,
  type Subject,
} from '../../provider-subject.fixture';
import type { EmailContent } from '../template';

export const mailContent: EmailContent = {
  subject: 'Hello',
  html: '<p>Hello</p>',
  text: 'Hello',
  cc: [],
  bcc: [],
  attachments: [],
  headers: {},
};

export const mailSettings = { from: { name: 'Belfry', address: 'noreply@example.com' } };

export const reply = (status: number, body: string | object = '', headers = {}): HttpFault => ({
  reply: { status, body, headers },
});

/** How one e-mail service differs from the others in the contract suite. */
export type MailService = {
  /** Its key in the registry. */
  name: string;
  provider: Provider<EmailContent>;
  createSimulator(): Promise<MailApiSimulator>;
  settings?: Record<string, unknown>;
  credentials: Record<string, string>;
  /** An error of the service with this text. */
  refuse(text: string): HttpFault;
  /** Refuses the sender’s address. */
  refuseSender: HttpFault;
  /** An answer of success with this ID. */
  accept(id: string): HttpFault;
  /** Its signature does not cover the body of a report. */
  signsNoBody?: true;
  rows: Subject['rows'];
};

let messages = 0;

/** A message ID that no simulator has seen, because some services ignore repeated requests. */
export function createTestMessageId(): string {
  messages += 1;
  return `01930000-0000-7000-8000-${String(messages).padStart(12, '0')}`;
}

/** The contract suite's subject for an e-mail service. */
export function createMailApiSubject(service: MailService): Subject {
  const { name, credentials, settings = {} } = service;
  // The suite passes only the content defined here.
  const provider = service.provider as Provider<unknown>;
  const senderTo = (url: string) => {
    const sender = provider.createSender({ ...deps, baseUrls: { [name]: url } });
    closers.push(sender.close);
    return sender;
  };
  return {
    provider,
    id: /^<?00000000-0000-4000-8000-\d{12}/,
    async start() {
      const simulator = await service.createSimulator();
      closers.push(simulator.close);
      const call = {
        get messageId() {
          return createTestMessageId();
        },
        target: 'ada@example.org',
        content: mailContent,
        settings: { ...mailSettings, ...settings },
        integrationId: `i-${name}`,
        integrationVersion: '1',
        credentials,
      };
      return {
        sender: senderTo(simulator.url),
        call,
        sends: () => simulator.sends,
        requests: () => simulator.requests,
        fail: (fault) => simulator.fail(fault as HttpFault),
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
    refusal: service.refuse(`Not ${credential}`),
    echoes: [service.refuse(credential), service.accept(credential), reply(500, credential)],
    rows: [...service.rows, ...commonRows],
  };
}

/** Answers that mean the same at every service. */
const commonRows: Subject['rows'] = [
  ['500', reply(500, {}), { outcome: 'unknown' }],
  ['502 as a page', reply(502, '<html>'), { outcome: 'unknown' }],
  ['503', reply(503, {}, { 'retry-after': '9' }), { outcome: 'retry', afterMs: 9_000 }],
  ['504', reply(504), { outcome: 'unknown' }],
  [
    '429 with Retry-After',
    reply(429, {}, { 'retry-after': '7' }),
    { outcome: 'retry', afterMs: 7_000 },
  ],
  ['success without an ID', reply(200, {}), { outcome: 'unknown', reason: 'unreadable_answer' }],
  ['success as a page', reply(200, '<html>'), { outcome: 'unknown', reason: 'unreadable_answer' }],
];

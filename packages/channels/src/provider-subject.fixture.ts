import { createServer } from 'node:net';
import type { Outcome } from '@belfry/shared';
import type { HttpRequest } from '@belfry/testing';
import type { Provider, SendCall, Sender, SenderDeps } from './channel';

/** What the suite needs to know of a provider; whoever adds one adds an entry here. */
export type Subject = {
  provider: Provider<unknown>;
  /** A simulator with its sender, and a call that it would accept. */
  start(): Promise<Stage>;
  /** The id that the provider gives, or that stands for the message there. */
  id: RegExp;
  /** Ways to break off before the request was whole. */
  faultsBefore: unknown[];
  /** Ways to break off after it, without an answer. */
  faultsAfter: unknown[];
  hang: unknown;
  /** How the provider sends its caller elsewhere; undefined where its protocol has no such thing. */
  redirectTo: ((url: string) => unknown) | undefined;
  /** How the provider refuses the credentials of a test. */
  refusal: unknown;
  /** Answers that repeat the credential, as a careless provider may. */
  echoes: unknown[];
  /** The provider's table: a fault, and what becomes of it. */
  rows: [string, unknown, Partial<Outcome>][];
};

export type Stage = {
  sender: Sender<unknown>;
  call: Omit<SendCall<unknown>, 'signal' | 'deadlineAt'>;
  /** The same call to somewhere else. */
  callTo(place: 'closed port' | 'no TLS'): Promise<Stage['call'] & { sender?: Sender<unknown> }>;
  sends(): unknown[];
  /** Every HTTP request as it arrived; absent where the protocol is another one. */
  requests?(): HttpRequest[];
  fail(fault: unknown): void;
};

/** What a subject's integration has for its secret, which must come out nowhere. */
export const credential = 'xoxb-5ecret-5ecret-5ecret';
/** What ends with the test. */
export const closers: (() => Promise<void>)[] = [];

export const deps: SenderDeps = { baseUrls: {}, allowedPrivateHosts: ['127.0.0.1'] };

export const rejected = (scope: 'recipient' | 'content' | 'integration'): Partial<Outcome> => ({
  outcome: 'rejected',
  scope,
});

/** Takes connections and drops them at the first byte: TLS never comes about. */
export async function listenAndDrop(): Promise<number> {
  const server = createServer((socket) => {
    socket.once('data', () => socket.resetAndDestroy()).on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => server.close(() => resolve())));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('No port');
  return address.port;
}

import { createServer } from 'node:net';
import type { Outcome } from '@belfry/shared';
import type { HttpRequest } from '@belfry/testing';
import type { Provider, SendCall, Sender, SenderDeps } from './channel';

/** A provider as the suite tests it. Each new provider adds an entry. */
export type Subject = {
  provider: Provider<unknown>;
  /** Starts a simulator with its sender, and a call that it accepts. */
  start(): Promise<Stage>;
  /** The ID that the provider returns, or that identifies the message there. */
  id: RegExp;
  /** Faults before the request was complete. */
  faultsBefore: unknown[];
  /** Faults after the request was complete, without a response. */
  faultsAfter: unknown[];
  hang: unknown;
  /** How the provider redirects; undefined when its protocol has no redirects. */
  redirectTo: ((url: string) => unknown) | undefined;
  /** The connection test calls nobody, because there is no account to ask. */
  isTestLocal?: true;
  /** How the provider refuses the credentials of a connection test. */
  refusal: unknown;
  /** Responses that contain the credential, as a careless provider may send. */
  echoes: unknown[];
  /** The provider's table: a fault and its outcome. */
  rows: [string, unknown, Partial<Outcome>][];
};

export type Stage = {
  sender: Sender<unknown>;
  call: Omit<SendCall<unknown>, 'signal' | 'deadlineAt'>;
  /** The same call to another host. */
  callTo(place: 'closed port' | 'no TLS'): Promise<Stage['call'] & { sender?: Sender<unknown> }>;
  sends(): unknown[];
  /** Every HTTP request as received; absent for other protocols. */
  requests?(): HttpRequest[];
  fail(fault: unknown): void;
};

/** The secret of each subject's integration, which must never leak. */
export const credential = 'xoxb-5ecret-5ecret-5ecret';
/** Closed after each test. */
export const closers: (() => Promise<void>)[] = [];

export const deps: SenderDeps = { baseUrls: {}, allowedPrivateHosts: ['127.0.0.1'] };

export const rejected = (scope: 'recipient' | 'content' | 'integration'): Partial<Outcome> => ({
  outcome: 'rejected',
  scope,
});

/** Accepts connections and drops them at the first byte, so TLS never completes. */
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

import type { Transport } from './call';
import type { SandboxWaitAnswer } from './generated/wire';
import type { CallOptions } from './options';
import { buildQuery } from './query';

export type Sandbox = {
  /**
   * What the sandbox captured and matches, newest first: at once where there is something, else as soon as there is, and
   * an empty list when the time is over. Name the `request_id` of a send, or the `next` of an earlier answer as `after`,
   * to see nothing old.
   */
  wait(filter?: CapturesWanted, options?: CallOptions): Promise<SandboxWaitAnswer>;
};

export type CapturesWanted = {
  channel?: string;
  /** An address in any spelling; a user_id for in_app. */
  to?: string;
  request_id?: string;
  /** `next` of an earlier answer. */
  after?: string;
  /** How many to wait for; 1 unless told otherwise, at most 100. */
  count?: number;
  /** Seconds; 10 unless told otherwise, at most 30. 0 looks once. */
  timeout?: number;
};

const standardTimeout = 10;
/** For the answer to come once the gateway has waited. */
const onTopMs = 10_000;

export function createSandbox(transport: Transport): Sandbox {
  return { wait: (filter, options) => waitForCaptures(transport, filter, options) };
}

/** As `sandbox.wait`. */
export async function waitForCaptures(
  transport: Transport,
  filter: CapturesWanted = {},
  options: CallOptions = {},
): Promise<SandboxWaitAnswer> {
  const waitedMs = (filter.timeout ?? standardTimeout) * 1_000;
  const timeoutMs = options.timeoutMs ?? waitedMs + onTopMs;
  const path = `/sandbox/wait${buildQuery(filter)}`;
  return transport({ name: 'sandbox.wait', method: 'GET', path }, { ...options, timeoutMs });
}

import type { Transport } from './call';
import type { SandboxWaitAnswer } from './generated/wire';
import type { CallOptions } from './options';
import { buildQuery } from './query';

export type Sandbox = {
  /**
   * Matching captures of the sandbox, newest first. Waits for the first one, and resolves with an empty list after the
   * timeout. To exclude older captures, pass the `request_id` of a send, or `next` of an earlier answer as `after`.
   */
  wait(filter?: CaptureFilter, options?: CallOptions): Promise<SandboxWaitAnswer>;
};

export type CaptureFilter = {
  channel?: string;
  /** An address in any spelling; a user_id for in_app. */
  to?: string;
  request_id?: string;
  /** `next` of an earlier answer. */
  after?: string;
  /** Number of captures to wait for, up to 100. Default: 1. */
  count?: number;
  /** In seconds, up to 30. Default: 10. With 0, does not wait. */
  timeout?: number;
};

const standardTimeout = 10;
/** Extra time for the answer after the gateway's wait. */
const onTopMs = 10_000;

export function createSandbox(transport: Transport): Sandbox {
  return { wait: (filter, options) => waitForCaptures(transport, filter, options) };
}

/** See `sandbox.wait`. */
export async function waitForCaptures(
  transport: Transport,
  filter: CaptureFilter = {},
  options: CallOptions = {},
): Promise<SandboxWaitAnswer> {
  const waitedMs = (filter.timeout ?? standardTimeout) * 1_000;
  const timeoutMs = options.timeoutMs ?? waitedMs + onTopMs;
  const path = `/sandbox/wait${buildQuery(filter)}`;
  return transport({ name: 'sandbox.wait', method: 'GET', path }, { ...options, timeoutMs });
}

import type { AnyChannel, ComposeResult, Notes, PreparedSend, SendResult } from '@belfry/channels';
import { type AppRow, isDatabaseUnavailable, type VersionRow } from '@belfry/database';
import { getTraceId, type Logger, type Secrets } from '@belfry/runtime';
import type { ChannelVersion, FailureReason, Json, Outcome } from '@belfry/shared';
import type { Carrier, Carriers } from './choose-integration';
import type { ClaimedMessage } from './claim.sql';
import type { Compose } from './compose';
import { narrowToTarget } from './narrow-to-target';
import type { FinishedAttempt, NotNow } from './next-state';
import { hiddenText, hideSensitive, openSensitive } from './sensitive';

export type AttemptDeps = {
  channel: AnyChannel;
  findVersion(id: string): Promise<VersionRow | undefined>;
  findApp(id: string): Promise<AppRow | undefined>;
  findCarrier: Carriers['find'];
  compose: Compose;
  /** Resolves when a live call may start; with false if it may not start now. */
  pace(message: ClaimedMessage): Promise<boolean>;
  /** Time for files, tokens and connections, before the deadline begins. */
  preparationMs: number;
  deadlineMs: number;
  leaseMs: number;
  deadlines: Deadlines;
  secrets: Secrets;
  log: Logger;
};

/** A claimed message and when its lease began, by `performance.now()`. That is not later than PostgreSQL's time. */
export type Claimed = { message: ClaimedMessage; claimedAtMs: number };

/** Composes and sends a claimed message once. Never throws. */
export type Attempt = (claimed: Claimed) => Promise<FinishedAttempt>;

export function createAttempt(deps: AttemptDeps): Attempt {
  return (claimed) => attemptMessage(deps, claimed);
}

async function attemptMessage(deps: AttemptDeps, claimed: Claimed): Promise<FinishedAttempt> {
  const { message } = claimed;
  let channelVersion: ChannelVersion | undefined;
  try {
    const version = await deps.findVersion(message.versionId);
    const wholeVersion = version?.definition.channels[message.channel];
    if (!version || !wholeVersion) throw new Error('The version, or its channel, was not found');
    channelVersion = narrowToTarget(deps.channel, wholeVersion, message.target);
    const ready = await prepare(deps, message, { version, channelVersion });
    const sent = await sendReady(deps, ready, claimed);
    const { provider, integrationUpdatedAt } = ready.carrier;
    const ended = { ...sent, channelVersion, provider, integrationUpdatedAt };
    return ready.isSensitive ? hideSensitive(ended, ready.message) : ended;
  } catch (error) {
    const logged = { ...describeMessage(message), error };
    if (isDatabaseUnavailable(error)) {
      deps.log.warn('attempt.postponed', logged);
      return postpone(notRead, { waitMs });
    }
    deps.log.error('attempt.broken', logged);
    return { outcome: internalFault, ...(channelVersion ? { channelVersion } : {}) };
  }
}

type MessageVersion = { version: VersionRow; channelVersion: ChannelVersion };
type Ready = {
  /** The message with its sealed texts opened. */
  message: ClaimedMessage;
  isSensitive: boolean;
  carrier: Carrier;
  composed: ComposeResult<unknown>;
};

async function prepare(
  deps: AttemptDeps,
  claimed: ClaimedMessage,
  { version, channelVersion }: MessageVersion,
): Promise<Ready> {
  const { isSensitive } = version.definition;
  const message = isSensitive ? openSensitive(claimed, deps.secrets) : claimed;
  const app = await deps.findApp(message.appId);
  if (!app) throw new Error('The app of the message was not found');
  const delivery = version.definition.delivery ?? app.delivery;
  const carrier = await deps.findCarrier({
    message,
    app: { ...app, delivery },
    channelVersion,
    ...(isSensitive ? { hiddenAs: hiddenText } : {}),
  });
  const composed = await deps.compose({
    accountId: app.accountId,
    message,
    version,
    channelVersion,
  });
  return { message, isSensitive, carrier, composed };
}

async function sendReady(
  deps: AttemptDeps,
  { carrier, composed }: Ready,
  claimed: Claimed,
): Promise<FinishedAttempt> {
  if ('failed' in composed) return refusedContent(composed.failed, composed.detail);
  const { content } = composed;
  const logFields = {
    request: carrier.describe(content),
    notes: mergeNotes(composed, carrier.notes),
  };
  const prepared = await prepareSend(deps, carrier, content);
  if (!prepared)
    return { ...logFields, ...postpone(noConnection, { waits: 'connections', waitMs }) };
  if ('outcome' in prepared) return { ...logFields, ...prepared };
  try {
    const notNow = await findHindrance(deps, claimed);
    if (notNow) return { ...logFields, ...postpone(notCalled, notNow) };
    return { ...logFields, ...(await callProvider(deps, prepared, claimed)) };
  } finally {
    prepared.release();
  }
}

/** Prepares everything that does not count against the provider's deadline. */
async function prepareSend(
  { deadlines, preparationMs }: AttemptDeps,
  { prepare, send }: Carrier,
  content: unknown,
): Promise<PreparedSend | SendResult | undefined> {
  if (!prepare) return { send: (deadline) => send({ content, ...deadline }), release: doNothing };
  const { signal, end } = deadlines.begin(preparationMs);
  return prepare(content, signal).finally(end);
}

/** Returns why the provider must not be called now, although the message is ready. */
async function findHindrance(
  { pace, deadlineMs, leaseMs, deadlines }: AttemptDeps,
  { message, claimedAtMs }: Claimed,
): Promise<NotNow | undefined> {
  if (!(await pace(message))) return { waits: 'limit', waitMs };
  if (deadlines.isCut()) return { waitMs: 0 };
  // The whole deadline must fit into the rest of the lease, or another worker could send the message too.
  return performance.now() - claimedAtMs > leaseMs - deadlineMs ? { waitMs } : undefined;
}

async function callProvider(
  { deadlineMs, deadlines, log }: AttemptDeps,
  prepared: PreparedSend,
  { message }: Claimed,
): Promise<SendResult & { calledAtMs: number; callMs: number }> {
  const deadlineAt = Date.now() + deadlineMs;
  const calledAtMs = performance.now();
  const { signal, end } = deadlines.begin(deadlineMs);
  const sent = await prepared
    .send({ signal, deadlineAt })
    .catch((error: unknown) => {
      log.error('sender.broken', { ...describeMessage(message), error });
      return brokenSender;
    })
    .finally(end);
  return { ...sent, calledAtMs, callMs: performance.now() - calledAtMs };
}

function describeMessage({ id, requestId, traceparent }: ClaimedMessage) {
  return { message_id: id, request_id: requestId, trace_id: getTraceId(traceparent) };
}

/** Delay until a message that could not be sent is retried. */
const waitMs = 1_000;

function doNothing(): void {}

function postpone(
  { reason, detail }: { reason: string; detail: string },
  notNow: NotNow,
): FinishedAttempt {
  return { outcome: { outcome: 'retry', reason, detail }, notNow };
}

function mergeNotes(
  { missing, notes }: Extract<ComposeResult<unknown>, { content: unknown }>,
  carrierNotes: Notes | undefined,
): Record<string, Json> {
  const all = notes && carrierNotes ? { ...notes, ...carrierNotes } : (notes ?? carrierNotes);
  return missing.length > 0 ? { ...all, missing } : (all ?? {});
}

function refusedContent(failed: FailureReason, detail: string): FinishedAttempt {
  return { outcome: { outcome: 'rejected', scope: 'content', reason: failed, detail }, failed };
}

const notCalled = {
  reason: 'claimed_too_late',
  detail: 'The worker took too long between the claim and the call, so it did not call.',
};

const notRead = {
  reason: 'database_unavailable',
  detail: 'PostgreSQL did not answer in time, so the provider was not called.',
};

const noConnection = {
  reason: 'no_connection',
  detail: 'No connection of the integration became free in time.',
};

const internalFault: Outcome = {
  outcome: 'retry',
  reason: 'internal',
  detail: 'Internal error; see the log of the worker.',
};

const brokenSender: SendResult = {
  outcome: {
    outcome: 'unknown',
    reason: 'internal',
    detail: 'Internal error during the provider call; see the log of the worker.',
  },
};

/** Ends attempts: each at its own deadline, or all when the process must stop. */
export type Deadlines = {
  /** Call `end` when the attempt is over. */
  begin(deadlineMs: number): { signal: AbortSignal; end(): void };
  /** Aborts all attempts, running and future. */
  cut(): void;
  isCut(): boolean;
};

export function createDeadlines(): Deadlines {
  const running = new Set<AbortController>();
  let isCut = false;
  return {
    begin(deadlineMs) {
      const controller = new AbortController();
      const timer = afterReading(() => controller.abort(createTimeoutError()), deadlineMs);
      running.add(controller);
      if (isCut) controller.abort(createTimeoutError());
      return {
        signal: controller.signal,
        end() {
          timer.clear();
          running.delete(controller);
        },
      };
    },
    cut() {
      isCut = true;
      for (const controller of running) controller.abort(createTimeoutError());
    },
    isCut: () => isCut,
  };
}

/**
 * A timer that reads the sockets once more before it fires. A process that got no CPU for seconds would otherwise run the
 * timer first, before a response that arrived in time.
 */
function afterReading(call: () => void, ms: number): { clear(): void } {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    immediate = setImmediate(() => {
      immediate = setImmediate(call);
    });
  }, ms);
  return {
    clear() {
      clearTimeout(timer);
      clearImmediate(immediate);
    },
  };
}

/** The same error as AbortSignal.timeout. */
function createTimeoutError(): DOMException {
  return new DOMException('The deadline of the attempt has passed', 'TimeoutError');
}

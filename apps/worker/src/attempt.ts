import type { Compose } from '@belfry/accepting';
import type { Composed, Notes, SendResult } from '@belfry/channels';
import type { AppRow, ClaimedMessage, VersionRow } from '@belfry/database';
import type { Logger, Secrets } from '@belfry/runtime';
import type { ChannelVersion, DataChange, FailureReason, Json, Outcome } from '@belfry/shared';
import type { Carrier, Carriers } from './carrier';
import type { Deadlines } from './deadlines';
import { hiddenText, hideSensitive, openSensitive } from './sensitive';

export type AttemptDeps = {
  findVersion(id: string): Promise<VersionRow | undefined>;
  findApp(id: string): Promise<AppRow | undefined>;
  findCarrier: Carriers['find'];
  compose: Compose;
  /** Ends when a live call may leave; false where it is not to leave now. */
  pace(message: ClaimedMessage): Promise<boolean>;
  deadlineMs: number;
  leaseMs: number;
  deadlines: Deadlines;
  secrets: Secrets;
  log: Logger;
};

/** A claimed message, and when its lease began (by `performance.now()`, not later than PostgreSQL's). */
export type Claimed = { message: ClaimedMessage; claimedAtMs: number };

/** How an attempt ended, with everything that the log shows of it. */
export type Ended = {
  outcome: Outcome;
  provider?: string;
  channelVersion?: ChannelVersion;
  /** PostgreSQL did not say what the version is: nothing is known against the message. */
  isVersionUnread?: boolean;
  request?: unknown;
  response?: unknown;
  /** What the log says beside the message, such as the paths that the data does not hold. */
  notes?: Record<string, Json>;
  changes?: DataChange[];
  inboxItem?: Record<string, Json>;
  /** Fails the message, whatever the outcome alone would lead to. */
  failed?: FailureReason;
  /** What it said is hidden here, and is to be dropped. */
  isSensitive?: true;
};

/** One attempt for a claimed message: composed, sent, and never thrown. */
export async function attemptMessage(deps: AttemptDeps, claimed: Claimed): Promise<Ended> {
  const { message } = claimed;
  let version: VersionRow | undefined;
  try {
    version = await deps.findVersion(message.versionId);
  } catch (error) {
    return { ...broken(deps, message, error), isVersionUnread: true };
  }
  const channelVersion = version?.definition.channels[message.channel];
  if (!version || !channelVersion) return broken(deps, message, new Error('No such version'));
  try {
    const ready = await prepare(deps, message, { version, channelVersion });
    const sent = await sendReady(deps, ready, claimed);
    const ended = { ...sent, channelVersion, provider: ready.carrier.provider };
    return ready.isSensitive ? hideSensitive(ended, ready.message) : ended;
  } catch (error) {
    return { ...broken(deps, message, error), channelVersion };
  }
}

function broken({ log }: AttemptDeps, message: ClaimedMessage, error: unknown): Ended {
  log.error('attempt.broken', { message_id: message.id, request_id: message.requestId, error });
  return { outcome: internalFault };
}

type Known = { version: VersionRow; channelVersion: ChannelVersion };
type Ready = {
  /** In clear. */
  message: ClaimedMessage;
  isSensitive: boolean;
  carrier: Carrier;
  composed: Composed<unknown>;
};

async function prepare(
  deps: AttemptDeps,
  claimed: ClaimedMessage,
  { version, channelVersion }: Known,
): Promise<Ready> {
  const { isSensitive } = version.definition;
  const message = isSensitive ? openSensitive(claimed, deps.secrets) : claimed;
  const app = await deps.findApp(message.appId);
  if (!app) throw new Error('A message without its app');
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
  { pace, deadlineMs, leaseMs, deadlines, log }: AttemptDeps,
  { carrier, composed }: Ready,
  { message, claimedAtMs }: Claimed,
): Promise<Ended> {
  if ('failed' in composed) return refusedContent(composed.failed, composed.detail);
  const { content } = composed;
  const told = { request: carrier.describe(content), notes: notesOf(composed, carrier.notes) };
  const mayLeave = await pace(message);
  // The whole deadline must fit into what is left of the lease, or another worker could send beside us.
  const isTooLate = performance.now() - claimedAtMs > leaseMs - deadlineMs;
  if (!mayLeave || isTooLate || deadlines.isCut()) {
    return { outcome: claimedTooLate, ...told };
  }
  const deadlineAt = Date.now() + deadlineMs;
  const { signal, end } = deadlines.begin(deadlineMs);
  try {
    const sent = await carrier.send({ content, signal, deadlineAt });
    return { ...told, ...sent };
  } catch (error) {
    log.error('sender.broken', { message_id: message.id, request_id: message.requestId, error });
    return { ...brokenSender, ...told };
  } finally {
    end();
  }
}

function notesOf(
  { missing, notes }: Extract<Composed<unknown>, { content: unknown }>,
  ofCarrier: Notes | undefined,
): Record<string, Json> {
  const all = notes && ofCarrier ? { ...notes, ...ofCarrier } : (notes ?? ofCarrier);
  return missing.length > 0 ? { ...all, missing } : (all ?? {});
}

function refusedContent(failed: FailureReason, detail: string): Ended {
  return { outcome: { outcome: 'rejected', scope: 'content', reason: failed, detail }, failed };
}

const claimedTooLate: Outcome = {
  outcome: 'retry',
  reason: 'claimed_too_late',
  detail: 'The worker was held up between the claim and the call, and did not call.',
};

const internalFault: Outcome = {
  outcome: 'retry',
  reason: 'internal',
  detail: 'A fault of ours; it is in the log of the worker.',
};

const brokenSender: SendResult = {
  outcome: {
    outcome: 'unknown',
    reason: 'internal',
    detail: 'A fault of ours while the provider was called; it is in the log of the worker.',
  },
};

import { type AnyChannel, channels } from '@belfry/channels';
import type { VersionRow } from '@belfry/database';
import type { Logger } from '@belfry/runtime';
import { createLoop, type Loop } from '@belfry/runtime';
import {
  type Attempted,
  type Backoff,
  brokenVersion,
  computeNextState,
} from '../deliver/next-state';
import { type AttemptResult, leaseExpired } from '../deliver/record.sql';
import { createGrace, type GraceDeps } from './lease-grace';
import type { ExpiredLease, ExpiredLeaseOptions, Uptime } from './relay.sql';
import { createRunStep } from './run-step';

export type LeasesDeps = Pick<GraceDeps, 'now'> & {
  readUptime(): Promise<Uptime>;
  listExpiredLeases(options: ExpiredLeaseOptions): Promise<ExpiredLease[]>;
  findVersion(id: string): Promise<VersionRow | undefined>;
  recordResults(results: AttemptResult[]): Promise<boolean[]>;
  backoff: Backoff;
  log: Logger;
};

export type Leases = Loop & {
  /** One run; `start` repeats it. */
  runOnce(): Promise<void>;
};

const runEveryMs = 1_000;
const leasesPerRun = 500;

/**
 * Closes attempts whose lease expired. The worker did not report, so the outcome is unknown and the policy decides what
 * follows. It has its own loop, so that it depends only on PostgreSQL.
 */
export function createLeases(deps: LeasesDeps): Leases {
  let hasOpenMessages = true;
  async function readUptimeMs(): Promise<number> {
    const uptime = await deps.readUptime();
    hasOpenMessages = uptime.hasOpenMessages;
    return uptime.uptimeMs;
  }
  const grace = createGrace({ readUptimeMs, now: deps.now }, runEveryMs);
  const runStep = createRunStep(deps.log);

  async function runOnce(): Promise<void> {
    await runStep('leases', async () => {
      const backForMs = await grace.readBackForMs();
      if (!hasOpenMessages) return;
      await closeExpiredLeases(
        deps,
        await deps.listExpiredLeases({ limit: leasesPerRun, backForMs }),
      );
    });
  }

  return { runOnce, ...createLoop(runOnce, () => runEveryMs) };
}

async function closeExpiredLeases(deps: LeasesDeps, leases: ExpiredLease[]): Promise<void> {
  if (leases.length === 0) return;
  const results = await Promise.all(
    leases.map(async (lease) => {
      const version = await deps.findVersion(lease.versionId);
      const channelVersion = version?.definition.channels[lease.channel];
      return buildExpiredResult(lease, channelVersion ?? brokenVersion, deps.backoff);
    }),
  );
  const recorded = await deps.recordResults(results);
  for (const [index, { messageId, attempt, next }] of results.entries()) {
    if (!recorded[index]) continue;
    deps.log.warn('lease.expired', {
      message_id: messageId,
      attempt,
      channel: leases[index]?.channel,
      state: next.state,
    });
  }
}

function buildExpiredResult(
  lease: ExpiredLease,
  version: Attempted['version'],
  backoff: Backoff,
): AttemptResult {
  const reason = leaseExpired;
  const detail = 'The worker stopped responding; it may have sent the message.';
  const { attempt, unknownCount, integrationId } = lease;
  return {
    messageId: lease.id,
    attempt,
    outcome: 'unknown',
    reason,
    detail,
    provider: undefined,
    providerMessageId: undefined,
    request: undefined,
    response: undefined,
    notes: {},
    changes: [],
    inboxItem: undefined,
    unknownCount,
    next: computeNextState(
      {
        outcome: { outcome: 'unknown', reason, detail },
        version,
        attemptsMade: attempt,
        // Not used for an unknown outcome.
        attemptsInRow: 1,
        unknownCount,
        integrationId,
        hasWaitedLong: false,
        channelResends: getUnknownResends(lease.channel),
      },
      backoff,
    ),
  };
}

/** A channel that this version of the code does not have is never resent. */
function getUnknownResends(channel: string): number {
  const channelsByName: Record<string, AnyChannel> = channels;
  return channelsByName[channel]?.unknownResends ?? 0;
}

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
import type { ExpiredLease, ExpiredLeaseOptions } from './relay.sql';
import { createRunStep } from './run-step';

export type LeasesDeps = GraceDeps & {
  listExpiredLeases(options: ExpiredLeaseOptions): Promise<ExpiredLease[]>;
  findVersion(id: string): Promise<VersionRow | undefined>;
  recordResults(results: AttemptResult[]): Promise<boolean[]>;
  backoff: Backoff;
  log: Logger;
};

export type Leases = Loop & {
  /** One look; what `start` repeats. */
  runOnce(): Promise<void>;
};

const lookEveryMs = 1_000;
const leasesPerRun = 500;

/**
 * Gives up leases that ran out: an attempt whose worker was not heard of again has an outcome that nobody knows; its
 * policy says what follows. By itself, so that it waits for nothing but PostgreSQL.
 */
export function createLeases(deps: LeasesDeps): Leases {
  const grace = createGrace(deps, lookEveryMs);
  const runStep = createRunStep(deps.log);

  async function runOnce(): Promise<void> {
    await runStep('leases', async () => {
      const backForMs = await grace.readBackForMs();
      await closeExpiredLeases(
        deps,
        await deps.listExpiredLeases({ limit: leasesPerRun, backForMs }),
      );
    });
  }

  return { runOnce, ...createLoop(runOnce, () => lookEveryMs) };
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
  const detail = 'The worker was not heard of again; it may have sent the message.';
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
        // Of an outcome that nobody knows it is not asked.
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

/** A channel that is not of this code any more sends nothing again. */
function getUnknownResends(channel: string): number {
  const channelsByName: Record<string, AnyChannel> = channels;
  return channelsByName[channel]?.unknownResends ?? 0;
}

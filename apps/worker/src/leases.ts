import { type AnyChannel, channels } from '@belfry/channels';
import {
  type AttemptResult,
  type ExpiredLease,
  leaseExpired,
  type VersionRow,
} from '@belfry/database';
import type { Logger } from '@belfry/runtime';
import { type Attempted, type Backoff, brokenVersion, nextState } from './next-state';

export type LeasesDeps = {
  listExpiredLeases(limit: number): Promise<ExpiredLease[]>;
  findVersion(id: string): Promise<VersionRow | undefined>;
  record(result: AttemptResult): Promise<boolean>;
  backoff: Backoff;
  log: Logger;
};

const leasesPerTurn = 500;

/** An attempt whose worker was not heard of again has an outcome that nobody knows; its policy says what follows. */
export async function giveUpLeases(deps: LeasesDeps): Promise<void> {
  const expired = await deps.listExpiredLeases(leasesPerTurn);
  await Promise.all(expired.map((lease) => giveUp(deps, lease)));
}

async function giveUp(deps: LeasesDeps, lease: ExpiredLease): Promise<void> {
  const version = await deps.findVersion(lease.versionId);
  const channelVersion = version?.definition.channels[lease.channel];
  const result = resultOf(lease, channelVersion ?? brokenVersion, deps.backoff);
  if (!(await deps.record(result))) return;
  deps.log.warn('lease.expired', {
    message_id: lease.id,
    attempt: lease.attempt,
    channel: lease.channel,
    state: result.next.state,
  });
}

function resultOf(
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
    next: nextState(
      {
        outcome: { outcome: 'unknown', reason, detail },
        version,
        attemptsMade: attempt,
        unknownCount,
        integrationId,
        hasWaitedLong: false,
        channelResends: resendsOf(lease.channel),
      },
      backoff,
    ),
  };
}

/** A channel that is not of this code any more sends nothing again. */
function resendsOf(channel: string): number {
  const known: Record<string, AnyChannel> = channels;
  return known[channel]?.unknownResends ?? 0;
}

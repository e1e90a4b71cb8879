import { channelNames, channels, type Provider } from '@belfry/channels';
import type { Queryable } from '@belfry/database';
import { type AlertKind, getDeliverQueue, isCircuitOpen, judgeHealth } from '@belfry/shared';
import {
  countAccepted,
  countEnded,
  findOldestWaiting,
  listLiveChannels,
  listWatched,
  readLastReceipts,
  readRoleHeartbeats,
  type WatchedIntegration,
} from './facts.sql';
import type { EvaluatedRule, Finding, Memory } from './rules.sql';

export type Check = { finding: Finding | undefined; memory: Memory };

type CheckRule = (database: Queryable, rule: EvaluatedRule, now: Date) => Promise<Check>;

const minuteMs = 60_000;

/** Whether the condition of the rule holds. `now` is PostgreSQL's time. */
export const checkRule: CheckRule = (database, rule, now) => checks[rule.kind](database, rule, now);

const checks: Record<AlertKind, CheckRule> = {
  async failure_rate(database, { appId, channel, params }, now) {
    const { percent = 0, minutes = 0, messages = 0 } = params;
    const from = new Date(now.getTime() - minutes * minuteMs);
    const { failed, ended } = await countEnded(database, { appId, channel, from });
    if (ended < messages || failed * 100 <= percent * ended) return none;
    const share = `${format(failed)} of ${format(ended)} messages failed`;
    const rate = ((failed / ended) * 100).toLocaleString('en-US', { maximumFractionDigits: 1 });
    return {
      finding: {
        sentence: `${share} in the last ${minutes} min (${rate} %).`,
        ...(channel === null ? {} : { channel }),
        integrationIds: [],
      },
      memory: {},
    };
  },

  async oldest_waiting(database, { appId, channel, params: { minutes = 0 } }, now) {
    const before = new Date(now.getTime() - minutes * minuteMs);
    const watched = channel === null ? channelNames : [channel];
    const oldest = await findOldestWaiting(database, { appId, channels: watched, before });
    if (!oldest) return none;
    const sentence = `The oldest due message of ${oldest.channel} waits since ${formatTime(oldest.dueAt)}.`;
    return { finding: { sentence, channel: oldest.channel, integrationIds: [] }, memory: {} };
  },

  integration_failing: (database, rule, now) =>
    checkIntegrations(database, rule, {
      isBad: (row) => ['failing', 'needs_attention'].includes(judgeHealth(row, now)),
      describe: (row) =>
        row.state === 'needs_attention' ? `${row.name} needs attention` : `${row.name} is failing`,
    }),

  circuit_open: (database, rule, now) =>
    checkIntegrations(database, rule, {
      isBad: (row) => isCircuitOpen(row, now),
      describe: ({ name }) => `The circuit of ${name} is open`,
    }),

  async no_worker(database, { appId, channel, params: { minutes = 0 }, memory }, now) {
    const live = await listLiveChannels(database, appId);
    const heartbeats = await readRoleHeartbeats(database);
    const watched = live.filter((each) => channel === null || each === channel);
    const withoutWorker = watched.flatMap((each) => {
      const heartbeatAt = heartbeats.get(getDeliverQueue(each))?.getTime();
      if (heartbeatAt !== undefined && now.getTime() - heartbeatAt <= aliveMs) return [];
      // A worker that ended removed its heartbeat: then the time counts from the first check without one.
      return [{ channel: each, sinceMs: heartbeatAt ?? memory[each] ?? now.getTime() }];
    });
    const due = withoutWorker.filter(
      ({ sinceMs }) => now.getTime() - sinceMs >= minutes * minuteMs,
    );
    const [first] = due;
    const names = due.map((each) => each.channel).join(', ');
    const since = new Date(Math.min(...due.map(({ sinceMs }) => sinceMs)));
    return {
      memory: Object.fromEntries(withoutWorker.map((each) => [each.channel, each.sinceMs])),
      finding: first && {
        sentence: `No worker serves ${names} since ${formatTime(since)}.`,
        ...(due.length === 1 ? { channel: first.channel } : {}),
        integrationIds: [],
      },
    };
  },

  async receipts_stopped(database, rule, now) {
    const { appId, params } = rule;
    const { minutes = 0, messages = 0 } = params;
    const memory = await rememberReceipts(database, rule, now);
    const from = new Date(now.getTime() - minutes * minuteMs);
    const to = new Date(now.getTime() - receiptsDelayMs);
    const accepted = await countAccepted(database, { appId, from, to });
    const { finding } = await checkIntegrations(database, rule, {
      isBad: ({ id, channel, provider }) =>
        reportsDeliveries(channel, provider) &&
        (accepted.get(id) ?? 0) >= messages &&
        (memory[id] ?? Number.POSITIVE_INFINITY) < from.getTime(),
      describe: ({ id, name }) =>
        `${name} accepted ${format(accepted.get(id) ?? 0)} messages, and sent no receipt for ${minutes} min`,
    });
    // It still accepts messages, so it may send the alert.
    return { memory, finding: finding && { ...finding, integrationIds: [] } };
  },
};

const none: Check = { finding: undefined, memory: {} };

/** A worker sends a heartbeat every 5 s. */
const aliveMs = 20_000;

/** Counts of accepted messages cover 5 minutes each; their receipts get 5 more to arrive. */
const receiptsDelayMs = 10 * minuteMs;
/** Receipts that another process was still writing at the last check. */
const receiptsOverlapMs = minuteMs;
const longestReceiptsReadMs = 60 * minuteMs;
const checkedAt = 'checkedAt';

async function rememberReceipts(
  database: Queryable,
  { appId, memory }: EvaluatedRule,
  now: Date,
): Promise<Memory> {
  const lastMs = (memory[checkedAt] ?? now.getTime()) - receiptsOverlapMs;
  const from = new Date(Math.max(lastMs, now.getTime() - longestReceiptsReadMs));
  const receipts = await readLastReceipts(database, { appId, from });
  const newest = receipts.map(({ integrationId, at }) => [integrationId, at.getTime()] as const);
  return { ...memory, ...Object.fromEntries(newest), [checkedAt]: now.getTime() };
}

/** Whether the provider reports each delivery, so that silence means something. */
function reportsDeliveries(channel: string, name: string): boolean {
  const providers: Record<string, Pick<Provider<never>, 'receipts'>> | undefined = Object.entries(
    channels,
  ).find(([each]) => each === channel)?.[1].providers;
  const receipts = providers?.[name]?.receipts;
  return receipts !== undefined && !receipts.reportsFailuresOnly;
}

type Judge = {
  isBad(row: WatchedIntegration): boolean;
  describe(row: WatchedIntegration): string;
};

/** More names would not fit into a subject. */
const namesListed = 3;

async function checkIntegrations(
  database: Queryable,
  { appId, integrationId }: EvaluatedRule,
  { isBad, describe }: Judge,
): Promise<Check> {
  const ids = integrationId === null ? null : [integrationId];
  const bad = (await listWatched(database, { appId, ids })).filter(isBad);
  const [first] = bad;
  if (!first) return none;
  const sentences = bad.slice(0, namesListed).map((row) => `${describe(row)}.`);
  if (bad.length > namesListed) sentences.push(`${bad.length - namesListed} more.`);
  return {
    memory: {},
    finding: {
      sentence: sentences.join(' '),
      ...(bad.length === 1 ? { channel: first.channel, provider: first.provider } : {}),
      integrationIds: bad.map(({ id }) => id),
    },
  };
}

function format(count: number): string {
  return count.toLocaleString('en-US');
}

/** As in texts: `2026-11-30 21:40 UTC`. */
export function formatTime(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

import type { Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  countedAs,
  failureReasons,
  type MessageState,
  messageStates,
  type StateCounts,
  skipReasons,
} from '@belfry/shared';
import type { Tenant } from './factories';

export type MixedRequest = {
  requestId: string;
  /** The expected counts by channel. */
  counts: Record<string, StateCounts>;
  /** Rows of the table, including resent messages. */
  messages: number;
  resent: number;
};

export type MixedOptions = {
  event: { eventId: string; versionId: string };
  channels: readonly string[];
  items: number;
  /** At the end of these, every third item is planned out of order, like the items of an erased person. */
  unplanned: number;
  /** Selects what is resent, and the number of targets per channel. */
  seed: number;
};

type Fate = { state: MessageState; reason: string | null };
type Row = Fate & {
  id: string;
  item: number;
  channel: string;
  target: string;
  generation: number;
  originalId: string | null;
};

/** Every state with every possible reason. */
const fates: Fate[] = Object.keys(messageStates).flatMap((name) => {
  const state = name as MessageState;
  const reasons = { skipped: Object.keys(skipReasons), failed: Object.keys(failureReasons) };
  const own = state === 'skipped' || state === 'failed' ? reasons[state] : [null];
  return own.map((reason) => ({ state, reason }));
});

/** The result of an item on one channel: messages, or one reason without a message; neither if it is not planned. */
type Outcome = { counted: Fate; times: number; rows: Row[]; skip?: string };

/** A request with messages in every state, skipped channels, resends, and unplanned items. */
export async function writeMixedRequest(
  database: Pick<Database, 'lookUps'>,
  tenant: Tenant,
  options: MixedOptions,
): Promise<MixedRequest> {
  const { channels, items } = options;
  const requestId = newId();
  const decide = createDecide(options);
  const counts = Object.fromEntries(channels.map((channel) => [channel, createEmptyCounts()]));
  const rows: Row[] = [];
  const skips: (Record<string, { reason: string }> | null)[] = [];
  for (let item = 0; item < items; item += 1) {
    const own: Record<string, { reason: string }> = {};
    for (const channel of channels) {
      const { counted, times, rows: added, skip } = decide(item, channel);
      addTo(counts[channel], counted, times);
      rows.push(...added);
      if (skip !== undefined) own[channel] = { reason: skip };
    }
    skips.push(Object.keys(own).length > 0 ? own : null);
  }
  await insert(database, tenant, { ...options, requestId, rows, skips });
  const resent = rows.filter(({ originalId }) => originalId !== null).length;
  return { requestId, counts, messages: rows.length, resent };
}

function createDecide({ items, unplanned, seed }: MixedOptions) {
  const random = createRandom(seed);
  let fateIndex = seed;
  return function decide(item: number, channel: string): Outcome {
    fateIndex += 1;
    const fate = fates[fateIndex % fates.length] ?? waiting;
    if (isPlannedEarly(item, { items, unplanned })) return createSkipped('erased');
    if (item >= items - unplanned) return { counted: waiting, times: 1, rows: [] };
    if (fate.state === 'skipped' && fate.reason && random() < 0.5)
      return createSkipped(fate.reason);
    const targets = random() < 0.2 ? 3 : 1;
    const rows = Array.from({ length: targets }, (_, target) =>
      createChain({ item, channel, target: `t${item}-${target}` }, fate, random),
    );
    return { counted: fate, times: targets, rows: rows.flat() };
  };
}

const waiting: Fate = { state: 'queued', reason: null };

function createSkipped(reason: string): Outcome {
  return { counted: { state: 'skipped', reason }, times: 1, rows: [], skip: reason };
}

function isPlannedEarly(
  item: number,
  { items, unplanned }: Pick<MixedOptions, 'items' | 'unplanned'>,
) {
  return item >= items - unplanned && item % 3 === 0;
}

function addTo(counts = createEmptyCounts(), { state, reason }: Fate, times: number): void {
  counts.total += times;
  counts[countedAs[state]] += times;
  if (state !== 'skipped' || reason === null) return;
  counts.skippedByReason[reason] = (counts.skippedByReason[reason] ?? 0) + times;
}

/** The message that counts, after those that it was resent from. One of them was for a person who has since been erased. */
function createChain(
  place: Pick<Row, 'item' | 'channel' | 'target'>,
  fate: Fate,
  random: () => number,
): Row[] {
  const generations = random() < 0.15 ? 3 : 1;
  const chain: Row[] = [];
  for (let generation = 0; generation < generations; generation += 1) {
    const isLast = generation === generations - 1;
    const id = newId();
    chain.push({
      ...place,
      ...(isLast ? fate : { state: 'failed', reason: 'expired' }),
      id,
      generation,
      target: generations > 1 && place.item % 2 === 0 ? `erased:${id}` : place.target,
      originalId: chain.at(-1)?.id ?? null,
    });
  }
  return chain;
}

type Inserted = MixedOptions & {
  requestId: string;
  rows: Row[];
  skips: (object | null)[];
};

async function insert(
  { lookUps }: Pick<Database, 'lookUps'>,
  { accountId, appId }: Tenant,
  { requestId, event, items, rows, skips, unplanned }: Inserted,
): Promise<void> {
  const plannedTo = items - unplanned;
  const plannedEarlyFlags = skips.map((_, item) => isPlannedEarly(item, { items, unplanned }));
  const planned = unplanned === 0 ? items : plannedEarlyFlags.filter(Boolean).length;
  await lookUps.query(
    `INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items, planned_to)
     VALUES ($1, $2, $3, $4, $5, 'bulk', $6, $7, $8)`,
    [requestId, accountId, appId, event.eventId, event.versionId, items, planned, plannedTo],
  );
  await lookUps.query(
    `INSERT INTO request_item (request_id, item, recipient, skips, planned_at)
     SELECT $1, t.number - 1, '{}', t.skips::jsonb, CASE WHEN t.is_out_of_turn THEN now() END
     FROM unnest($2::text[], $3::bool[]) WITH ORDINALITY t (skips, is_out_of_turn, number)`,
    [requestId, skips.map((each) => each && JSON.stringify(each)), plannedEarlyFlags],
  );
  await lookUps.query(
    `INSERT INTO message (id, request_id, item, app_id, channel, target, generation, state, reason, resend_of, due_at, expires_at, is_bulk)
     SELECT t.id, $1, t.item, $2, t.channel, t.target, t.generation, t.state, t.reason, t.resend_of,
       CASE WHEN t.state IN ('queued', 'sending') THEN now() + interval '1 day' END, now() + interval '2 days', true
     FROM unnest($3::uuid[], $4::int[], $5::text[], $6::text[], $7::int[], $8::text[], $9::text[], $10::uuid[])
       t (id, item, channel, target, generation, state, reason, resend_of)`,
    [
      requestId,
      appId,
      rows.map(({ id }) => id),
      rows.map(({ item }) => item),
      rows.map(({ channel }) => channel),
      rows.map(({ target }) => target),
      rows.map(({ generation }) => generation),
      rows.map(({ state }) => state),
      rows.map(({ reason }) => reason),
      rows.map(({ originalId }) => originalId),
    ],
  );
}

function createEmptyCounts(): StateCounts {
  const numbers = { total: 0, waiting: 0, sent: 0, delivered: 0, read: 0, failed: 0, unknown: 0 };
  return { ...numbers, skipped: 0, skippedByReason: {} };
}

/** From 0 to 1, the same for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

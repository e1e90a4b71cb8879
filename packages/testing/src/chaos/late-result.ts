import { setTimeout as wait } from 'node:timers/promises';
import { leaseExpired } from '@belfry/pipeline/deliver';
import type { Member } from './member';
import { getPlaceKey } from './recording';
import type { World } from './world';

/** A process without such a call by then is frozen only briefly: none of its results will be late. */
const longestLookMs = 10_000;
const shortStopMs = 1_000;
/** Each time PostgreSQL comes back, a lease that it may have delayed has its full length again. */
const longestStopMs = 40_000;
const longestTellMs = 5_000;
const pollMs = 100;
/** An attempt of this age has left its worker, and is not answered yet. */
const [leastAgeMs, mostAgeMs] = [500, 2_000];

export type LateResult = { atMs: number; liftedMs: number; isLate: boolean };

/**
 * Freezes a worker in the middle of a call, and resumes it when its lease has expired and another worker has the same message: its
 * result is then too late. `isLate` if it recorded an accepted call while the newer attempt was open.
 */
export async function stopUntilLate(world: World, member: Member): Promise<LateResult> {
  const find = createFind(world, member.pid);
  const calls = await findSlowCalls(world, find.calls);
  const atMs = performance.now();
  member.signal('SIGSTOP');
  try {
    await waitForSome(
      () => find.findTakenOver(calls),
      calls.length > 0 ? longestStopMs : shortStopMs,
    );
  } finally {
    member.signal('SIGCONT');
  }
  const liftedMs = performance.now();
  const late = calls.length > 0 ? await waitForSome(find.findLateResults, longestTellMs) : [];
  return { atMs, liftedMs, isLate: late.length > 0 };
}

/** Calls of this worker are slow from now on, and so are later calls for the same message. */
async function findSlowCalls(
  { slowPlaces }: World,
  find: () => Promise<string[]>,
): Promise<string[]> {
  const slowing = slowPlaces.begin();
  try {
    return await waitForSome(find, longestLookMs);
  } finally {
    slowing.stop();
  }
}

/** The first result; undefined at the time limit. */
async function waitForSome(find: () => Promise<string[]>, longestMs: number): Promise<string[]> {
  const endMs = performance.now() + longestMs;
  while (performance.now() < endMs) {
    const targets = await find();
    if (targets.length > 0) return targets;
    await wait(pollMs);
  }
  return [];
}

type Row = { channel: string; target: string };

/** The slow messages of one process, by place; none while PostgreSQL is down. */
function createFind({ database, slowPlaces }: World, pid: number) {
  async function find(text: string, values: unknown[]): Promise<string[]> {
    try {
      const { rows } = await database.delivery.query<Row>(text, [`%:${pid}`, ...values]);
      return rows.map(getPlaceKey).filter((place) => slowPlaces.has(place));
    } catch {
      return [];
    }
  }

  return {
    calls: () =>
      find(
        `SELECT m.channel, m.target FROM message m JOIN attempt a ON a.message_id = m.id AND a.number = m.attempts
         WHERE m.state = 'sending' AND a.worker LIKE $1 AND a.closed_at IS NULL
           AND a.opened_at BETWEEN now() - $3::int * interval '1 ms' AND now() - $2::int * interval '1 ms'`,
        [leastAgeMs, mostAgeMs],
      ),
    async findTakenOver(calls: string[]): Promise<string[]> {
      const targets = await find(
        `SELECT m.channel, m.target FROM message m
         JOIN attempt newer ON newer.message_id = m.id AND newer.number = m.attempts
         JOIN attempt older ON older.message_id = m.id AND older.number < m.attempts
         WHERE m.state = 'sending' AND newer.closed_at IS NULL AND newer.opened_at > now() - $2::int * interval '1 ms'
           AND older.worker LIKE $1 AND older.reason = $3`,
        [mostAgeMs, leaseExpired],
      );
      return targets.filter((place) => calls.includes(place));
    },
    findLateResults: () =>
      find(
        `SELECT m.channel, m.target FROM message m
         JOIN attempt older ON older.message_id = m.id
         JOIN attempt newer ON newer.message_id = m.id AND newer.number > older.number
         WHERE older.worker LIKE $1 AND older.outcome = 'accepted' AND older.closed_at > newer.opened_at
           AND (newer.closed_at IS NULL OR newer.closed_at > older.closed_at)`,
        [],
      ),
  };
}

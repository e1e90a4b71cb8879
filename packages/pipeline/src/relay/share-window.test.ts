import fc from 'fast-check';
import type { QueuedCount } from './enqueue-due.sql';
import { computeGatewayCapacity, shareWindow } from './share-window';

const windows = { channel: 3_000, app: 750 };
const group = (appId: string, { channel = 'email', isBulk = false } = {}) => ({
  channel,
  isBulk,
  appId,
});
const bulk = (appId: string) => group(appId, { isBulk: true });
const queued = (appId: string, messages: number, place = {}) => ({
  ...group(appId, place),
  messages,
});
const queuedBulk = (appId: string, messages: number) => queued(appId, messages, { isBulk: true });

/** Messages of the first channel by app. */
function shares(
  groups: ReturnType<typeof group>[],
  already: QueuedCount[],
  taken: QueuedCount[] = [],
) {
  const shared = shareWindow(groups, { queued: [...already, ...taken], taken, windows });
  return Object.fromEntries(shared.map(({ appId, messages }) => [appId, messages]));
}

describe('shareWindow', () => {
  test.each([
    ['a single app gets a third of its window', [group('a')], [], { a: 250 }],
    [
      'single sends get a third while two thirds are full',
      [group('a')],
      [queued('a', 500)],
      { a: 250 },
    ],
    ['single sends get what the window has left', [group('a')], [queued('a', 700)], { a: 50 }],
    ['an app with a full window gets nothing', [group('a')], [queued('a', 750)], {}],
    ['bulk counts against the third for bulk', [bulk('a')], [queuedBulk('a', 200)], { a: 50 }],
    ['bulk beyond its third gets nothing', [bulk('a')], [queuedBulk('a', 250)], {}],
    [
      'single sends do not use up the third for bulk',
      [bulk('a')],
      [queued('a', 500), queuedBulk('a', 100)],
      { a: 150 },
    ],
    [
      'bulk does not use up the share of single sends',
      [group('a')],
      [queuedBulk('a', 250)],
      { a: 250 },
    ],
    [
      'another app’s backlog does not reduce an app’s share',
      [group('a'), group('b')],
      [queued('a', 750)],
      { b: 250 },
    ],
    [
      'apps share the rest of the channel evenly',
      [group('a'), group('b')],
      [queued('w', 750), queued('x', 750), queued('y', 750), queued('z', 650)],
      { a: 50, b: 50 },
    ],
    [
      'bulk of apps shares what bulk may use of the channel',
      [bulk('a'), bulk('b')],
      [queuedBulk('x', 250), queuedBulk('y', 250), queuedBulk('z', 400)],
      { a: 50, b: 50 },
    ],
    [
      'the first apps get one message each if there are more apps than capacity',
      [group('a'), group('b'), group('c')],
      [queued('x', 2_998)],
      { a: 1, b: 1 },
    ],
    ['a full channel gets nothing', [group('a')], [queued('x', 3_500)], {}],
    [
      'another channel’s queue does not count',
      [group('a')],
      [queued('x', 3_000, { channel: 'sms' }), queued('a', 750, { channel: 'sms' })],
      { a: 250 },
    ],
  ])('%s', (_title, groups, already, expected) => {
    expect(shares(groups, already)).toEqual(expected);
  });

  test('bulk gets what the single sends of the same run left of the third', () => {
    const taken = [queued('a', 200), queued('b', 700), queued('c', 60)];
    const groups = [bulk('a'), bulk('b'), bulk('c')];
    expect(shares(groups, [], taken)).toEqual({ a: 20, c: 20 });
    expect(shares([bulk('a')], [], [queued('a', 200)])).toEqual({ a: 50 });
    expect(shares([bulk('a')], [queuedBulk('a', 220)], [queued('a', 200)])).toEqual({ a: 30 });
  });

  test('never assigns more than a third of a channel', () => {
    const groups = Array.from({ length: 3_000 }, (_, index) => group(`app ${index}`));
    const shared = shareWindow(groups, { queued: [], taken: [], windows });
    expect(shared.reduce((sum, { messages }) => sum + messages, 0)).toBe(1_000);
  });
});

describe('computeGatewayCapacity', () => {
  const getCapacity = (...already: QueuedCount[]) =>
    computeGatewayCapacity(already, { id: 'count', windows });

  test('is two thirds of each window if nothing is queued', () => {
    expect(getCapacity()).toEqual({
      id: 'count',
      channelCapacity: 2_000,
      appCapacity: 500,
      channels: {},
    });
  });

  test('is less by what is queued, single or bulk', () => {
    expect(getCapacity(queued('a', 400), queuedBulk('a', 60), queued('b', 3)).channels).toEqual({
      email: { capacity: 1_537, apps: { a: 40, b: 497 } },
    });
  });

  test('is zero if two thirds are full, and never negative', () => {
    expect(getCapacity(queued('a', 700), queued('b', 1_500)).channels).toEqual({
      email: { capacity: 0, apps: { a: 0, b: 0 } },
    });
  });
});

const part = fc.double({ min: 0, max: 1, noNaN: true });
/** Changes between two counts: parts of what is in Redis, and of what the gateways may queue. */
const step = fc.record({
  single: fc.nat(400),
  bulk: fc.nat(400),
  sent: part,
  early: part,
  late: part,
});

const idle = { single: 0, bulk: 0, sent: 0, early: 0, late: 0 };
/** The gateways write after the relay has counted, and the relay takes both classes. */
const lateGateway = { ...idle, single: 2, bulk: 2, late: 0.75 };

test('the relay and the gateways together never exceed a window, nor bulk its third', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 30 }),
      fc.integer({ min: 3, max: 60 }),
      (steps, app) => {
        const limits = { channel: 100_000, app };
        const take = (waiting: number, isBulk: boolean, already: QueuedCount[]) => {
          const [share] = shareWindow([group('a', { isBulk })], {
            queued: already,
            taken: already.slice(2),
            windows: limits,
          });
          return queued('a', Math.min(waiting, share?.messages ?? 0), { isBulk });
        };
        let [single, bulks, granted] = [0, 0, 0];
        for (const { sent, early, late, ...waiting } of steps) {
          const written = Math.floor(granted * early);
          single = Math.ceil(single * sent) + written;
          bulks = Math.ceil(bulks * sent);
          const counted = [queued('a', single), queuedBulk('a', bulks)];
          counted.push(take(waiting.single, false, counted));
          counted.push(take(waiting.bulk, true, counted));
          const [, , moreSingle, moreBulk] = counted.map(({ messages }) => messages);
          // A gateway subtracts what it writes after a count from the capacity that the count leaves.
          const unseen = Math.floor((granted - written) * late);
          single += Number(moreSingle) + unseen;
          bulks += Number(moreBulk);
          expect(single + bulks).toBeLessThanOrEqual(app);
          expect(bulks).toBeLessThanOrEqual(Math.floor(app / 3));
          const { channels } = computeGatewayCapacity(counted, { id: 'x', windows: limits });
          granted = Math.max(0, Number(channels['email']?.apps['a']) - unseen);
        }
      },
    ),
    { examples: [[[idle, lateGateway], 6]] },
  );
});

import { computeGatewayCapacity, shareWindow } from './share-window';

const windows = { channel: 2_000, app: 500 };
const group = (appId: string, channel = 'email') => ({ channel, isBulk: false, appId });
const queued = (appId: string, messages: number, channel = 'email') => ({
  channel,
  appId,
  messages,
});

/** Messages of the first channel by app. */
function shares(...[groups, already]: [ReturnType<typeof group>[], ReturnType<typeof queued>[]]) {
  const shared = shareWindow(groups, { queued: already, windows });
  return Object.fromEntries(shared.map(({ appId, messages }) => [appId, messages]));
}

describe('shareWindow', () => {
  test.each([
    ['a single app gets half of its window', [group('a')], [], { a: 250 }],
    ['messages that an app has in Redis count', [group('a')], [queued('a', 200)], { a: 50 }],
    ['an app with a full window gets nothing', [group('a')], [queued('a', 250)], {}],
    [
      'another app’s backlog does not reduce an app’s share',
      [group('a'), group('b')],
      [queued('a', 250)],
      { b: 250 },
    ],
    [
      'apps share the rest of the channel evenly',
      [group('a'), group('b')],
      [queued('x', 250), queued('y', 250), queued('z', 400)],
      { a: 50, b: 50 },
    ],
    [
      'the first apps get one message each if there are more apps than capacity',
      [group('a'), group('b'), group('c')],
      [queued('x', 998)],
      { a: 1, b: 1 },
    ],
    ['a full channel gets nothing', [group('a')], [queued('x', 1_500)], {}],
    [
      'another channel’s queue does not count',
      [group('a')],
      [queued('x', 1_500, 'sms'), queued('a', 500, 'sms')],
      { a: 250 },
    ],
  ])('%s', (_title, groups, already, expected) => {
    expect(shares(groups, already)).toEqual(expected);
  });

  test('never assigns more than the relay’s half of a channel', () => {
    const groups = Array.from({ length: 3_000 }, (_, index) => group(`app ${index}`));
    const shared = shareWindow(groups, { queued: [], windows });
    expect(shared.reduce((sum, { messages }) => sum + messages, 0)).toBe(1_000);
  });
});

describe('computeGatewayCapacity', () => {
  const getCapacity = (...already: ReturnType<typeof queued>[]) =>
    computeGatewayCapacity(already, { id: 'count', windows });

  test('is half of each window if nothing is queued', () => {
    expect(getCapacity()).toEqual({
      id: 'count',
      channelCapacity: 1_000,
      appCapacity: 250,
      channels: {},
    });
  });

  test('lists only channels and apps with less capacity', () => {
    expect(getCapacity(queued('a', 400), queued('b', 3)).channels).toEqual({
      email: { capacity: 1_000, apps: { a: 100 } },
    });
  });

  test('is zero if a window is full, and never negative', () => {
    expect(getCapacity(queued('a', 700), queued('b', 1_500)).channels).toEqual({
      email: { capacity: 0, apps: { a: 0, b: 0 } },
    });
  });
});

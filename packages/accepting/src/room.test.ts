import { createRoom, type PublishedRoom, type Room } from './room';

const place = { channel: 'email', appId: 'a' };

function published(id: string, changes: Partial<PublishedRoom> = {}): PublishedRoom {
  return { id, channelRoom: 100, appRoom: 10, channels: {}, ...changes };
}

function take(room: Room, count: number, appId = 'a'): number {
  return Array.from({ length: count }, () => room.take({ ...place, appId })).filter(Boolean).length;
}

const settle = (room: Room, count: number) =>
  room.settle(Array.from({ length: count }, () => place));

describe('a gateway’s room', () => {
  test('is nothing while the relay’s count is not known', () => {
    const room = createRoom();
    expect(take(room, 1)).toBe(0);
    room.renew({ room: published('1'), gateways: 1 });
    expect(take(room, 1)).toBe(1);
    room.renew(undefined);
    expect(take(room, 1)).toBe(0);
  });

  test.each([
    [1, 10],
    [2, 5],
    [11, 0],
  ])('is shared among %i gateways', (gateways, expected) => {
    const room = createRoom();
    room.renew({ room: published('1'), gateways });
    expect(take(room, 20)).toBe(expected);
  });

  test('is bounded by app and by channel, and by what the relay tells of each', () => {
    const room = createRoom();
    const channels = { email: { room: 15, apps: { a: 3 } } };
    room.renew({ room: published('1', { channels }), gateways: 1 });
    expect(take(room, 20)).toBe(3);
    expect(take(room, 20, 'b')).toBe(10);
    expect(take(room, 20, 'c')).toBe(2);
    expect(room.take({ channel: 'sms', appId: 'a' })).toBe(true);
  });

  test('comes back with the second count after what was taken is written', () => {
    const room = createRoom();
    room.renew({ room: published('1'), gateways: 1 });
    take(room, 10);
    room.renew({ room: published('2'), gateways: 1 });
    room.renew({ room: published('3'), gateways: 1 });
    expect(take(room, 1)).toBe(0);
    settle(room, 10);
    room.renew({ room: published('4'), gateways: 1 });
    expect(take(room, 1)).toBe(0);
    room.renew({ room: published('5'), gateways: 1 });
    expect(take(room, 20)).toBe(10);
  });

  test('does not come back with a count that is read twice', () => {
    const room = createRoom();
    room.renew({ room: published('1'), gateways: 1 });
    take(room, 10);
    settle(room, 10);
    for (let read = 0; read < 5; read += 1) room.renew({ room: published('1'), gateways: 1 });
    expect(take(room, 1)).toBe(0);
  });
});

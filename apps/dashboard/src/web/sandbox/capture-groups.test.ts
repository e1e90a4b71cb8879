import type { CaptureLine } from '../../api/captures';
import { groupCaptures, holdBack } from './capture-groups';

const line = (id: string, channel: string, requestId: string | null): CaptureLine => ({
  id,
  messageId: `m${id}`,
  channel,
  target: 'x',
  attempt: 1,
  outcome: 'accepted',
  capturedAt: Number(id),
  line: '',
  requestId,
  item: requestId === null ? null : 0,
  event: requestId === null ? null : 'order_shipped',
});

const channels = ['sms', 'email', 'slack'];

describe('the list of the sandbox', () => {
  test('is grouped by request, newest first, each in the order of the peal', () => {
    const captures = [
      line('5', 'slack', 'a'),
      line('4', 'email', 'b'),
      line('3', 'sms', 'a'),
      line('2', 'later', 'a'),
      line('1', 'email', null),
    ];
    const groups = groupCaptures(captures, channels);
    expect(groups.map(({ event, lines }) => [event, lines.map(({ channel }) => channel)])).toEqual([
      ['order_shipped', ['sms', 'slack', 'later']],
      ['order_shipped', ['email']],
      ['its request is gone', ['email']],
    ]);
    expect(groups[0]?.capturedAt).toBe(5);
  });

  test('holds back what came since somebody reads', () => {
    const captures = [line('2', 'sms', 'a'), line('1', 'sms', 'b')];
    expect(holdBack(captures, undefined)).toMatchObject({ held: 0, shown: [{}, {}] });
    expect(holdBack(captures, new Set(['1']))).toMatchObject({ held: 1, shown: [{ id: '1' }] });
  });
});

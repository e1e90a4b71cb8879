import type { CaptureSummary } from '../../api/captures';
import { groupCaptures } from './capture-groups';

const createCapture = (id: string, channel: string, requestId: string | null): CaptureSummary => ({
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
  test('is grouped by request, newest first, each in channel order', () => {
    const captures = [
      createCapture('5', 'slack', 'a'),
      createCapture('4', 'email', 'b'),
      createCapture('3', 'sms', 'a'),
      createCapture('2', 'later', 'a'),
      createCapture('1', 'email', null),
    ];
    const groups = groupCaptures(captures, channels);
    expect(groups.map(({ event, rows }) => [event, rows.map(({ channel }) => channel)])).toEqual([
      ['order_shipped', ['sms', 'slack', 'later']],
      ['order_shipped', ['email']],
      ['request deleted', ['email']],
    ]);
    expect(groups[0]?.capturedAt).toBe(5);
  });
});

import { countStates } from '@belfry/shared';
import type { LogRow } from '../../api/log';
import { changeRows, noRows } from './log-rows';

function createRow(requestId: string, state = 'queued'): LogRow {
  return {
    requestId,
    acceptedAt: 1,
    event: 'order_shipped',
    kind: 'single',
    items: 1,
    plannedItems: 1,
    recipient: null,
    channels: { sms: { state, counts: countStates([]) } },
    isSandbox: true,
  };
}

const getIds = (rows: readonly LogRow[]) => rows.map(({ requestId }) => requestId);
const read = changeRows(noRows, { kind: 'read', rows: [createRow('b'), createRow('a')] });

describe('the rows of the log', () => {
  test('do not move while new rows are pending, and show those newest first on request', () => {
    const paused = changeRows(read, {
      kind: 'arrived',
      rows: [createRow('c'), createRow('d')],
      isPaused: true,
    });
    expect(getIds(paused.visible)).toEqual(['b', 'a']);
    const resumed = changeRows(paused, { kind: 'show' });
    expect(getIds(resumed.visible)).toEqual(['d', 'c', 'b', 'a']);
    expect(resumed.fresh).toEqual(['d', 'c']);
    expect(resumed.pending).toEqual([]);
  });

  test('are never shown twice, whether read or streamed', () => {
    const arrived = changeRows(read, {
      kind: 'arrived',
      rows: [createRow('b'), createRow('c')],
      isPaused: false,
    });
    const older = changeRows(arrived, { kind: 'older', rows: [createRow('a'), createRow('z')] });
    expect(getIds(older.visible)).toEqual(['c', 'b', 'a', 'z']);
  });

  test('change in place, even while pending', () => {
    const paused = changeRows(read, { kind: 'arrived', rows: [createRow('c')], isPaused: true });
    const changed = changeRows(paused, {
      kind: 'changed',
      rows: [createRow('a', 'sent'), createRow('c', 'sent')],
      isPaused: true,
      isComplete: true,
    });
    expect(getIds(changed.visible)).toEqual(['b', 'a']);
    expect(changed.visible[1]?.channels['sms']?.state).toBe('sent');
    expect(changed.pending[0]?.channels['sms']?.state).toBe('sent');
  });

  test('are inserted by age if they start to match the filters, but not after the end of the list', () => {
    const changed = changeRows(read, {
      kind: 'changed',
      rows: [createRow('0', 'sent'), createRow('ab', 'sent')],
      isPaused: false,
      isComplete: false,
    });
    expect(getIds(changed.visible)).toEqual(['b', 'ab', 'a']);
  });

  test('go if they are no longer in a part that was read again, and stay outside of that part', () => {
    const list = changeRows(noRows, {
      kind: 'read',
      rows: [...'edcba'].map((id) => createRow(id)),
    });
    const range = { after: 'e', end: 'b', settledMs: 2 };
    const left = changeRows(list, { kind: 'gone', range, rows: [createRow('c'), createRow('b')] });
    expect(getIds(left.visible)).toEqual(['e', 'c', 'b', 'a']);
    const unsettled = { ...range, settledMs: 1 };
    expect(changeRows(list, { kind: 'gone', range: unsettled, rows: [] }).visible).toHaveLength(5);
  });

  test('keep at most 500 and report that older ones were dropped', () => {
    const many = Array.from({ length: 501 }, (_, at) => createRow(`n${at}`));
    const paused = changeRows(read, { kind: 'arrived', rows: many, isPaused: true });
    expect(paused.pending).toHaveLength(500);
    expect(paused.hasDropped).toBe(true);
  });
});

import { countStates } from '@belfry/shared';
import type { LogRow } from '../../api/log';
import { changeRows, noRows } from './log-rows';

function row(requestId: string, state = 'queued'): LogRow {
  return {
    requestId,
    acceptedAt: 1,
    event: 'order_shipped',
    kind: 'single',
    items: 1,
    plannedItems: 1,
    recipient: null,
    peal: { sms: { state, counts: countStates([]) } },
    isSandbox: true,
    isSensitive: false,
  };
}

const idsOf = (rows: readonly LogRow[]) => rows.map(({ requestId }) => requestId);
const read = changeRows(noRows, { kind: 'read', rows: [row('b'), row('a')] });

describe('the rows of the log', () => {
  test('do not move while new ones are held, and show them newest first when asked', () => {
    const held = changeRows(read, { kind: 'arrived', rows: [row('c'), row('d')], isHeld: true });
    expect(idsOf(held.shown)).toEqual(['b', 'a']);
    const shown = changeRows(held, { kind: 'show' });
    expect(idsOf(shown.shown)).toEqual(['d', 'c', 'b', 'a']);
    expect(shown.fresh).toEqual(['d', 'c']);
    expect(shown.held).toEqual([]);
  });

  test('are never shown twice, whichever way they come', () => {
    const arrived = changeRows(read, {
      kind: 'arrived',
      rows: [row('b'), row('c')],
      isHeld: false,
    });
    const older = changeRows(arrived, { kind: 'older', rows: [row('a'), row('z')] });
    expect(idsOf(older.shown)).toEqual(['c', 'b', 'a', 'z']);
  });

  test('change in place, also while they are held', () => {
    const held = changeRows(read, { kind: 'arrived', rows: [row('c')], isHeld: true });
    const changed = changeRows(held, {
      kind: 'changed',
      rows: [row('a', 'sent'), row('c', 'sent')],
      isHeld: true,
      isWhole: true,
    });
    expect(idsOf(changed.shown)).toEqual(['b', 'a']);
    expect(changed.shown[1]?.peal['sms']?.state).toBe('sent');
    expect(changed.held[0]?.peal['sms']?.state).toBe('sent');
  });

  test('take their place by age when they match the filters only now, but not behind the end of the list', () => {
    const changed = changeRows(read, {
      kind: 'changed',
      rows: [row('0', 'sent'), row('ab', 'sent')],
      isHeld: false,
      isWhole: false,
    });
    expect(idsOf(changed.shown)).toEqual(['b', 'ab', 'a']);
  });

  test('hold at most 500, and tell when some were let go', () => {
    const many = Array.from({ length: 501 }, (_, at) => row(`n${at}`));
    const held = changeRows(read, { kind: 'arrived', rows: many, isHeld: true });
    expect(held.held).toHaveLength(500);
    expect(held.hasLost).toBe(true);
  });
});

import type { AttemptStep, MessageChannelRow, Step } from '../../api/requests';

/** A bar (call), dashes (wait) or a mark (receipt), in percent of the axis. */
export type Bit = { kind: BitKind; x: number; width: number; title: string };
export type BitKind = 'ok' | 'bad' | 'skip' | 'late' | 'unk' | 'open' | 'wait' | `mark ${string}`;
export type Axis = { decades: number; labels: { x: number; text: string }[] };

const minDecades = 5;
const maxDecades = 9;
const labels = ['10 ms', '0.1 s', '1 s', '10 s', '100 s', '17 min', '2.8 h', '28 h', '12 d'];

/**
 * Logarithmic from 1 ms, so that a commit of 6 ms and a receipt after 40 s are both visible; ends at 100 s or later.
 */
export function createAxis(
  channelRows: readonly MessageChannelRow[],
  acceptedAt: number,
  readAt: number,
): Axis {
  const ends = channelRows.flatMap(({ steps }) => steps.map((step) => getStepEnd(step, readAt)));
  const latest = Math.max(1, ...ends) - acceptedAt;
  const needed = Math.ceil(Math.log10(Math.max(latest, 1)));
  const decades = Math.min(Math.max(minDecades, needed), maxDecades);
  const all = labels.slice(0, decades).map((text, at) => ({ text, x: ((at + 1) / decades) * 100 }));
  // A long axis has room for every second label; the last one always shows.
  const isLong = decades > minDecades;
  return { decades, labels: all.filter((_, at) => !isLong || (decades - 1 - at) % 2 === 0) };
}

function toPercent(ms: number, { decades }: Axis): number {
  const x = (Math.log10(Math.max(ms, 1)) / decades) * 100;
  return Math.round(Math.min(x, 100) * 100) / 100;
}

function getStepEnd(step: Step, readAt: number): number {
  if (step.kind === 'attempt') return step.closedAt ?? readAt;
  if (step.kind === 'waited') return Math.min(step.until ?? readAt, readAt);
  return step.at;
}

/** The mark of a step. A rejection that skipped its message is not shown as a failure. */
export function getStepMark(mark: string, channelRow: MessageChannelRow): string {
  return mark === 'failed' && channelRow.state === 'skipped' ? 'skipped' : mark;
}

const barKinds = { accepted: 'ok', rejected: 'bad', retry: 'late', unknown: 'unk' } as const;

function getBarKind({ outcome }: AttemptStep, channelRow: MessageChannelRow): BitKind {
  if (outcome === null) return 'open';
  return outcome === 'rejected' && channelRow.state === 'skipped' ? 'skip' : barKinds[outcome];
}

export function createBits(
  channelRow: MessageChannelRow,
  axis: Axis,
  {
    acceptedAt,
    readAt,
  }: {
    acceptedAt: number;
    readAt: number;
  },
): Bit[] {
  return channelRow.steps.flatMap((step): Bit[] => {
    const x = toPercent(step.at - acceptedAt, axis);
    const width = Math.max(0, toPercent(getStepEnd(step, readAt) - acceptedAt, axis) - x);
    if (step.kind === 'attempt') {
      return [
        {
          kind: getBarKind(step, channelRow),
          x,
          width,
          title: `attempt ${step.number}, ${step.outcome ?? 'in progress'}`,
        },
      ];
    }
    if (step.kind === 'waited') return [{ kind: 'wait', x, width, title: step.detail }];
    if (step.kind === 'receipt') {
      return [
        {
          kind: `mark ${getStepMark(step.state, channelRow)}`,
          x,
          width: 0,
          title: `${step.state}, by receipt`,
        },
      ];
    }
    return [];
  });
}

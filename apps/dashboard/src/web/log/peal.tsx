import type { StateCounts } from '@belfry/shared';
import type { PealSlot } from '../../api/log';
import { useDesk } from '../context';
import { channelIcon, Icon } from '../parts/icons';
import { Mark } from '../parts/state-mark';
import { fillOf, markOf, nameOfPeal, wordsOf } from './peal-slots';

/** One request, one line: the channels always in the same slots. */
export function Peal({ peal, isBulk }: { peal: Record<string, PealSlot>; isBulk: boolean }) {
  const { registry } = useDesk();
  const channels = registry.channels.map(({ channel }) => channel);
  return (
    <span className="peal" role="img" aria-label={nameOfPeal(channels, peal, isBulk)}>
      {channels.map((channel) => (
        <Slot key={channel} channel={channel} slot={peal[channel]} isBulk={isBulk} />
      ))}
    </span>
  );
}

function Slot({
  channel,
  slot,
  isBulk,
}: {
  channel: string;
  slot: PealSlot | undefined;
  isBulk: boolean;
}) {
  if (!slot) return <Mark name="none" size={13} />;
  const words = wordsOf(channel, slot, isBulk);
  if (isBulk) return <Measure counts={slot.counts} words={words} />;
  return (
    <span title={words}>
      <Mark name={markOf(slot)} size={13} />
    </span>
  );
}

/** A bulk fills its slot like a measuring glass. */
function Measure({ counts, words }: { counts: StateCounts; words: string }) {
  const { done, failed } = fillOf(counts);
  return (
    <svg className="measure" width="11" height="13" viewBox="0 0 11 13" aria-hidden="true">
      <title>{words}</title>
      <rect className="rest" width="11" height="13" rx="2" />
      <rect className="done" y={13 * (1 - done)} width="11" height={13 * done} />
      <rect className="bad" y={13 * (1 - done - failed)} width="11" height={13 * failed} />
    </svg>
  );
}

export function PealHead() {
  const { registry } = useDesk();
  return (
    <span className="peal">
      {registry.channels.map(({ channel }) => (
        <span key={channel} title={channel}>
          <Icon name={channelIcon(channel)} size={13} />
          <span className="vh">{channel}</span>
        </span>
      ))}
    </span>
  );
}

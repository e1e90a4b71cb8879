import { formatFull, formatMoment } from '../dates';

/** A time in a row or sentence, with its date if it is not today. The tooltip has date, time and zone. */
export function Moment({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={formatFull(at)}>
      {formatMoment(at)}
    </time>
  );
}

import type { FindAnswer } from '../../api/find';
import { formatFull } from '../dates';

/** How the text was read, and how far the search went. */
export function NoMatch({ answer: { readings, skipsSearchedFrom } }: { answer: FindAnswer }) {
  return (
    <p className="dim small">
      No results. Read as {readings.join('; ')}. Only users are found by the beginning of an ID or
      address.
      {skipsSearchedFrom !== null &&
        ` Addresses of skipped messages were searched only back to ${formatFull(skipsSearchedFrom)}.`}
    </p>
  );
}

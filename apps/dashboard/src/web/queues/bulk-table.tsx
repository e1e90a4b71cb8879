import type { BulkProgress } from '../../api/queues';
import { count } from '../format';
import { Link } from '../parts/controls';
import { buildPath } from '../route';

/** Bulk requests whose messages are still being planned. */
export function BulkTable({ bulks }: { bulks: BulkProgress[] }) {
  return (
    <section>
      <h2>
        Bulk <small>single sends have priority</small>
      </h2>
      <table>
        <thead>
          <tr>
            <th>Request</th>
            <th>Planned</th>
            <th className="num">Items</th>
          </tr>
        </thead>
        <tbody>
          {bulks.map((bulk) => (
            <tr key={bulk.requestId}>
              <td className="ev">
                <Link to={buildPath(bulk.appId, 'log', bulk.requestId)}>{bulk.event}</Link>
              </td>
              <td>
                <progress
                  max={bulk.items}
                  value={bulk.plannedItems}
                  aria-label={`${bulk.event}: ${bulk.plannedItems} of ${bulk.items} planned`}
                />
              </td>
              <td className="num">
                {count(bulk.plannedItems)} of {count(bulk.items)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {bulks.length === 0 && <p className="nothing">No bulk requests are being planned.</p>}
    </section>
  );
}

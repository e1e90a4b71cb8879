import type { IntegrationQueue } from '../../api/queues';
import { useServices, useSession } from '../context';
import { HealthMark } from '../integrations/health';
import { formatLastError, formatLastHour } from '../integrations/health-text';
import { Button, Link } from '../parts/controls';
import { buildPath } from '../route';
import { Figure } from './figure';

export function IntegrationTable({
  integrations,
  onChanged,
}: {
  integrations: IntegrationQueue[];
  onChanged: () => Promise<void>;
}) {
  const { api } = useServices();
  const { mayChange } = useSession();
  async function togglePause({ appId, id, state }: IntegrationQueue) {
    const action = state === 'paused' ? 'resume' : 'pause';
    await api.call(`POST /api/apps/:appId/integrations/:id/${action}`, { appId, id });
    await onChanged();
  }
  return (
    <section>
      <h2>
        Integrations <small>messages waiting for each</small>
      </h2>
      <table>
        <thead>
          <tr>
            <th>Integration</th>
            <th>Health</th>
            <th className="num">Attempts, last hour</th>
            <th className="num">Waiting</th>
            <th className="q-act">
              <span className="vh">Pause or resume</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {integrations.map((one) => (
            <tr key={one.id}>
              <td className="ev">
                <Link to={buildPath(one.appId, 'integrations', one.id)}>{one.name}</Link>
              </td>
              <td>
                <HealthMark health={one.health} />
                {['failing', 'degraded', 'needs_attention'].includes(one.health.verdict) && (
                  <span className="sub">{formatLastError(one.health, Date.now())}</span>
                )}
              </td>
              <td className="num">{formatLastHour(one.health)}</td>
              <Figure value={one.waiting} />
              <td className="right">
                {mayChange && (
                  <Button
                    look="small"
                    aria-label={`${one.state === 'paused' ? 'Resume' : 'Pause'} ${one.name}`}
                    onClick={() => void togglePause(one)}
                  >
                    {one.state === 'paused' ? 'Resume' : 'Pause'}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {integrations.length === 0 && <p className="nothing">No integrations yet.</p>}
    </section>
  );
}

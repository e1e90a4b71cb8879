import type { IntegrationHealthAnswer } from '../../api/integrations';
import { Name } from '../parts/name';
import { Mark } from '../parts/state-mark';
import styles from './health.module.css';
import { formatLastError, formatLastHour, formatLastSuccess, formatVerdict } from './health-text';

const verdictMarks: Record<IntegrationHealthAnswer['verdict'], string> = {
  untested: 'draft',
  healthy: 'delivered',
  degraded: 'attention',
  failing: 'failed',
  needs_attention: 'attention',
  paused: 'paused',
};

const verdictTones: Partial<Record<IntegrationHealthAnswer['verdict'], string>> = {
  degraded: 's-attention',
  failing: 's-failed',
  needs_attention: 's-attention',
};

export function HealthMark({ health }: { health: IntegrationHealthAnswer }) {
  return (
    <span className={`state ${styles.mark} ${verdictTones[health.verdict] ?? ''}`}>
      <Mark name={verdictMarks[health.verdict]} />
      <span>
        <Name text={formatVerdict(health, Date.now())} />
      </span>
    </span>
  );
}

export function HealthFacts({ health }: { health: IntegrationHealthAnswer }) {
  return (
    <dl className="facts">
      <div>
        <dt>Last hour</dt>
        <dd>{formatLastHour(health)}</dd>
      </div>
      <div>
        <dt>Last success</dt>
        <dd>{formatLastSuccess(health)}</dd>
      </div>
      <div>
        <dt>Last error</dt>
        <dd>{formatLastError(health)}</dd>
      </div>
    </dl>
  );
}

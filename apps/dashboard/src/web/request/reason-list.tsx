import { noReason } from '@belfry/shared';
import { lazy, Suspense, useState } from 'react';
import type { ItemFilters } from '../../api/request-items';
import type { ReasonGroup, RequestAnswer } from '../../api/requests';
import { useSession } from '../context';
import { count } from '../format';
import type { PageFilters } from '../log/filters';
import { Button } from '../parts/controls';
import { channelIcon, Icon } from '../parts/icons';
import { State } from '../parts/state-mark';
import styles from './bulk.module.css';
import { listProblemGroups } from './problem-groups';

const ResendByFilterDialog = lazy(async () => ({
  default: (await import('../resend/resend-by-filter-dialog')).ResendByFilterDialog,
}));

const shortList = 5;

/** Failed, unknown and skipped messages by channel and reason. */
export function ReasonList({
  request: { requestId, groups, counts },
  onFilter,
}: {
  request: RequestAnswer;
  onFilter: (filters: ItemFilters) => void;
}) {
  const { mayChange } = useSession();
  const [resend, setResend] = useState<PageFilters>();
  const [isLong, setLong] = useState(false);
  const problems = listProblemGroups(groups);
  if (problems.length === 0) return null;
  const open = (filters: PageFilters) => setResend({ requestId, ...filters });
  return (
    <section aria-label="Failed, unknown and skipped messages by reason">
      <div className={`bar ${styles.bar}`}>
        <h3 className="sect">Failed, unknown and skipped</h3>
        <span className="grow" />
        {mayChange && counts.failed > 0 && (
          <Button look="small" onClick={() => open({ state: 'failed' })}>
            <Icon name="retry" size={14} />
            Resend failed messages…
          </Button>
        )}
      </div>
      <ul className={styles.reasons}>
        {problems.slice(0, isLong ? undefined : shortList).map((group) => (
          <Reason
            key={`${group.channel} ${group.state} ${group.reason}`}
            group={group}
            onShow={onFilter}
            onResend={mayChange ? open : undefined}
          />
        ))}
      </ul>
      {!isLong && problems.length > shortList && (
        <div className="more">
          <Button look="small" onClick={() => setLong(true)}>
            Show all {count(problems.length)} reasons
          </Button>
        </div>
      )}
      <Suspense fallback={null}>
        {resend && <ResendByFilterDialog filters={resend} onClose={() => setResend(undefined)} />}
      </Suspense>
    </section>
  );
}

function Reason({
  group: { channel, state, reason, count: size, explanation },
  onShow,
  onResend,
}: {
  group: ReasonGroup;
  onShow: (filters: ItemFilters) => void;
  onResend: ((filters: PageFilters) => void) | undefined;
}) {
  const filters = { channel, state, reason: reason ?? noReason };
  return (
    <li>
      <State name={state}>
        {count(size)} {state}
      </State>
      <span className="state">
        <Icon name={channelIcon(channel)} size={14} /> {channel}
      </span>
      <p>
        {explanation?.what} {reason && <code>{reason}</code>}{' '}
        <span className="dim">{explanation?.remedy}</span>
      </p>
      <Button look="small" onClick={() => onShow(filters)}>
        Show
      </Button>
      {onResend && state !== 'skipped' && (
        <Button look="small" onClick={() => onResend(filters)}>
          Resend these…
        </Button>
      )}
    </li>
  );
}

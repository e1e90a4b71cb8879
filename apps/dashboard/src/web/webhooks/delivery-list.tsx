import { useMemo, useState } from 'react';
import type {
  WebhookDeliveryAnswer,
  WebhookEndpointAnswer,
  WebhookListAnswer,
} from '../../api/webhooks';
import { useAnswer } from '../answers';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { Button, Segments } from '../parts/controls';
import { AwayBar, ProblemNote, Waiting } from '../parts/notes';
import { type RowPage, usePagedRows } from '../parts/use-paged-rows';
import { ExampleDialog, ResendFailedDialog } from './delivery-dialogs';
import { DeliveryRow } from './delivery-row';
import { needsEnabled } from './endpoint-state';
import styles from './webhooks.module.css';

const readEveryMs = 3_000;

const filters = [
  { value: 'all', text: 'All' },
  { value: 'waiting', text: 'Waiting' },
  { value: 'delivered', text: 'Delivered' },
  { value: 'failed', text: 'Failed' },
] as const;

type Filter = (typeof filters)[number]['value'];

export function DeliveryList({
  endpoint,
  types,
  onChanged,
}: {
  endpoint: WebhookEndpointAnswer;
  types: WebhookListAnswer['types'];
  onChanged: () => Promise<void>;
}) {
  const { mayChange } = useSession();
  const [filter, setFilter] = useState<Filter>('all');
  const [dialog, setDialog] = useState<'example' | 'resend'>();
  const list = useDeliveries(endpoint.id, filter);
  const { first, deliveries } = list;
  async function reload() {
    await Promise.all([list.readAnew(), onChanged()]);
  }
  const close = () => setDialog(undefined);
  return (
    <>
      <div className={`bar ${styles.bar}`}>
        <Segments label="Outcome" options={filters} value={filter} onChange={setFilter} />
        <span className="grow" />
        {mayChange && (
          <>
            <Button look="small" {...needsEnabled(endpoint)} onClick={() => setDialog('example')}>
              Send example
            </Button>
            <Button
              look="small"
              disabled={endpoint.failed === 0}
              title={endpoint.failed === 0 ? 'No delivery failed in the last 7 days.' : ''}
              {...needsEnabled(endpoint)}
              onClick={() => setDialog('resend')}
            >
              Resend failed
            </Button>
          </>
        )}
      </div>
      <AwayBar loaded={first} reload={first.reload} />
      <ProblemNote problem={list.problem} />
      {!first.value && <Waiting loaded={first} reload={first.reload} what="deliveries" />}
      <ul className={styles.deliveries} aria-label="Deliveries">
        {deliveries.map((delivery) => (
          <DeliveryRow
            key={delivery.id}
            endpoint={endpoint}
            delivery={delivery}
            onChanged={reload}
          />
        ))}
      </ul>
      {first.value && deliveries.length === 0 && <p className="nothing">{describeNone(filter)}</p>}
      {list.readMore && (
        <div className="more">
          <Button look="small" onClick={list.readMore}>
            Show older deliveries
          </Button>
        </div>
      )}
      {dialog === 'example' && (
        <ExampleDialog endpoint={endpoint} types={types} onClose={close} onDone={reload} />
      )}
      {dialog === 'resend' && (
        <ResendFailedDialog endpoint={endpoint} onClose={close} onDone={reload} />
      )}
    </>
  );
}

function describeNone(filter: Filter): string {
  if (filter === 'all') return 'No deliveries in the last 7 days.';
  return `No ${filter} deliveries in the last 7 days.`;
}

/** The first page is read again every few seconds; rows that left it, and older pages, are kept as they were. */
function useDeliveries(endpointId: string, filter: Filter) {
  const app = useApp();
  const { api } = useServices();
  const [problem, setProblem] = useState<PageProblem>();
  const query = filter === 'all' ? {} : { outcome: filter };
  const input = { appId: app.id, endpointId, query };
  const route = 'GET /api/apps/:appId/webhooks/:endpointId/deliveries';
  const first = useAnswer(route, input, { everyMs: readEveryMs });
  const firstPage = useMemo(() => first.value && toPage(first.value), [first.value]);
  const { rows, next, addOlder, forgetOlder } = usePagedRows(`${endpointId} ${filter}`, firstPage);
  async function readMore(before: string) {
    const answer = await api.call(route, { ...input, query: { ...query, before } });
    setProblem('problem' in answer ? answer.problem : undefined);
    if ('value' in answer) addOlder(toPage(answer.value));
  }
  async function readAnew() {
    forgetOlder();
    await first.reload();
  }
  return {
    first,
    deliveries: rows,
    problem,
    readMore: next === null ? undefined : () => void readMore(next),
    readAnew,
  };
}

function toPage(answer: { deliveries: WebhookDeliveryAnswer[]; next: string | null }) {
  return { rows: answer.deliveries, next: answer.next } satisfies RowPage<WebhookDeliveryAnswer>;
}

import type { WebhookDeliveryAnswer, WebhookEndpointAnswer } from '../../api/webhooks';
import { count } from '../format';
import { Mark } from '../parts/state-mark';

const endpointMarks = { active: 'delivered', failing: 'attention', disabled: 'failed' } as const;

export function EndpointState({ state }: Pick<WebhookEndpointAnswer, 'state'>) {
  return (
    <span className="state">
      <Mark name={endpointMarks[state]} /> {state}
    </span>
  );
}

/** The server counts the deliveries of an endpoint up to here. */
const countedTo = 1_000;

/** `12`, `1,000+` */
export const countDeliveries = (deliveries: number) => count(deliveries, countedTo);

/** For buttons that queue a delivery: a disabled endpoint gets none. */
export function needsEnabled({ state }: Pick<WebhookEndpointAnswer, 'state'>) {
  return state === 'disabled' ? { disabled: true, title: 'Enable the endpoint first.' } : {};
}

const outcomeMarks = { waiting: 'queued', delivered: 'delivered', failed: 'failed' } as const;

export function DeliveryState({ outcome }: Pick<WebhookDeliveryAnswer, 'outcome'>) {
  return (
    <span className="state">
      <Mark name={outcomeMarks[outcome]} /> {outcome}
    </span>
  );
}

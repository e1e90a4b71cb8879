import { toItemNumber } from '@belfry/shared';
import type { RequestAnswer } from '../../api/requests';
import { useApp } from '../context';
import { JsonBlock } from '../parts/code';

export function CallTab({ request }: { request: RequestAnswer }) {
  const app = useApp();
  const { call } = request;
  const requestBody = {
    event: request.event.name,
    user: call.user,
    data: call.data,
    ...(call.override === null ? {} : { override: call.override }),
    ...(call.locale === null ? {} : { locale: call.locale }),
    ...(call.scheduleAt === null ? {} : { schedule_at: call.scheduleAt }),
    ...(call.metadata === null ? {} : { metadata: call.metadata }),
    ...(call.cancelKey === null ? {} : { cancel_key: call.cancelKey }),
  };
  const path = request.kind === 'bulk' ? 'bulk_send' : 'send';
  const item = request.items > 1 ? `, item ${toItemNumber(request.item)}` : '';
  return (
    <div className="pad">
      <JsonBlock title={`POST /v1/apps/${app.id}/events/${path}${item}`} value={requestBody} />
      <JsonBlock title={`${call.answer.status}, application/json`} value={call.answer.body} />
    </div>
  );
}

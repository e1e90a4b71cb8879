import { useRef } from 'react';
import type { RequestAnswer } from '../../api/requests';
import { useApp, useSession } from '../context';
import { useKeys } from '../keyboard';
import { CopyButton, KeyHint } from '../parts/controls';

/** The call as a shell command. The user inserts the key, which is shown only under API keys. */
export function CurlButton({ request }: { request: RequestAnswer }) {
  const app = useApp();
  const { session } = useSession();
  const container = useRef<HTMLSpanElement>(null);
  useKeys({ c: () => container.current?.querySelector('button')?.click() });
  const url = `${session.connection.gatewayUrl}/v1/apps/${app.id}/events/send`;
  return (
    <span ref={container}>
      <CopyButton text={() => formatCurl(url, request)} label="Copy as curl (c)" look="small">
        Copy as curl <KeyHint keys="c" />
      </CopyButton>
    </span>
  );
}

function formatCurl(url: string, { event, call }: RequestAnswer): string {
  const body = Object.entries({
    event: event.name,
    user: call.user,
    data: call.data,
    override: call.override,
    locale: call.locale,
    schedule_at: call.scheduleAt,
    metadata: call.metadata,
    cancel_key: call.cancelKey,
  }).filter(([, value]) => value !== null && value !== undefined);
  const json = JSON.stringify(Object.fromEntries(body), null, 2).replaceAll("'", `'\\''`);
  return [
    `curl -sS '${url.replace(/([^:])\/\/+/g, '$1/').replace('/v1/v1/', '/v1/')}'`,
    `  -H "Authorization: AuthKey $BELFRY_API_KEY"`,
    `  -H 'Content-Type: application/json'`,
    `  -d '${json}'`,
  ].join(' \\\n');
}

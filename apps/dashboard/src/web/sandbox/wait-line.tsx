import type { Capture } from '../../api/captures';
import { useApp, useDesk } from '../context';
import { CopyButton } from '../parts/controls';

/** The call by which a test of one's own waits for this very message. */
export function WaitLine({ capture, requestId }: { capture: Capture; requestId: string | null }) {
  const app = useApp();
  const { session } = useDesk();
  const query = new URLSearchParams({
    channel: capture.channel,
    to: capture.target,
    ...(requestId === null ? {} : { request_id: requestId }),
  });
  const base = session.connection.gatewayUrl.replace(/\/+$/, '');
  const url = `${base}/v1/apps/${app.id}/sandbox/wait?${query}`;
  const quoted = `'${url.replaceAll("'", '%27')}'`;
  const header = '-H "Authorization: AuthKey $BELFRY_API_KEY"';
  return (
    <div className="code wait-line">
      <pre className="cut" title={`curl ${quoted} ${header}`}>
        <span className="k">curl</span> <span className="st">{quoted}</span> {header}
      </pre>
      <CopyButton text={`curl ${quoted} ${header}`} label="Copy the call that waits for it" />
    </div>
  );
}

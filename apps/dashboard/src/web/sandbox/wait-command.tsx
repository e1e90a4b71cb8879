import type { Capture } from '../../api/captures';
import { useApp, useSession } from '../context';
import { CopyButton } from '../parts/controls';
import styles from './sandbox.module.css';

/** The call with which an integration test waits for this message. */
export function WaitCommand({
  capture,
  requestId,
}: {
  capture: Capture;
  requestId: string | null;
}) {
  const app = useApp();
  const { session } = useSession();
  const query = new URLSearchParams({
    channel: capture.channel,
    to: capture.target,
    ...(requestId === null ? {} : { request_id: requestId }),
  });
  const base = session.connection.gatewayUrl.replace(/(?<!\/)\/+$/, '');
  const path = `/sandbox/wait?${query.toString().replaceAll('%40', '@')}`;
  const header = '-H "Authorization: AuthKey $BELFRY_API_KEY"';
  const call = `curl '${base}/v1/apps/${app.id}${path.replaceAll("'", '%27')}' ${header}`;
  return (
    <div className={`code ${styles.wait}`}>
      <pre className="cut" title={call}>
        <span className="k">curl</span> <span className="st">'…{path}'</span>
      </pre>
      <CopyButton text={call} label="Copy the call that waits for this message" />
    </div>
  );
}

import { useState } from 'react';
import type { ChannelRow, RequestAnswer } from '../../api/requests';
import { useAnswer } from '../answers';
import { useApp } from '../context';
import { Link } from '../parts/controls';
import { AwayBar, NoteBox, Waiting } from '../parts/notes';
import { getChannelRowId } from '../request/channel-row-id';
import { describeProgress, explainProgress, getMark, isOpen } from '../request/channel-row-state';
import { buildPath } from '../route';
import { ChannelOutcome } from './channel-outcome';
import styles from './editor.module.css';

const readAgainMs = 1_000;

type ResultProps = { requestId: string; onGo: () => void };

/** The state of each message of a test send, read again until all of them are final. */
export function TestSendResult({ requestId, onGo }: ResultProps) {
  const app = useApp();
  const [isFinal, setFinal] = useState(false);
  const request = useAnswer(
    'GET /api/apps/:appId/requests/:requestId',
    { appId: app.id, requestId },
    { everyMs: isFinal ? undefined : readAgainMs },
  );
  const { value } = request;
  const areAllFinal = value !== undefined && !value.channelRows.some(isOpen);
  if (areAllFinal !== isFinal) setFinal(areAllFinal);
  return (
    <section className={styles.outcomes} aria-label="Test send">
      <Accepted requestId={requestId} onGo={onGo} />
      <AwayBar loaded={request} reload={request.reload} />
      {value ? (
        <ul aria-label="Messages of the test" aria-live="polite">
          {value.channelRows.map((row) => (
            <Outcome key={getChannelRowId(row)} row={row} request={value} onGo={onGo} />
          ))}
        </ul>
      ) : (
        <Waiting loaded={request} reload={request.reload} what="messages" />
      )}
    </section>
  );
}

function Accepted({ requestId, onGo }: ResultProps) {
  const app = useApp();
  return (
    <div role="status">
      <NoteBox
        tone="green"
        title="Accepted."
        action={
          <Link className="btn small" to={buildPath(app.id, 'log', requestId)} onGo={onGo}>
            Open in the log
          </Link>
        }
      >
        <span className="mono">{requestId}</span>
      </NoteBox>
    </div>
  );
}

function Outcome({
  row,
  request,
  onGo,
}: {
  row: ChannelRow;
  request: RequestAnswer;
  onGo: () => void;
}) {
  const app = useApp();
  const captureId = row.kind === 'message' ? row.captureId : null;
  return (
    <ChannelOutcome
      channel={row.channel}
      mark={getMark(row)}
      text={describeProgress(row, request.readAt)}
      reason={row.reason}
      target={row.kind === 'message' ? row.target : null}
      after={
        captureId && (
          <Link to={buildPath(app.id, 'sandbox', captureId)} onGo={onGo}>
            Open in the sandbox<span className="vh">, {row.channel}</span>
          </Link>
        )
      }
      explanation={explainProgress(row)}
    />
  );
}

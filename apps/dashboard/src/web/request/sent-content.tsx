import { useState } from 'react';
import type { MessageChannelRow, RequestAnswer } from '../../api/requests';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { toText } from '../parts/code';
import { Button, Link } from '../parts/controls';
import { ProblemNote } from '../parts/notes';
import { PreviewFrame } from '../previews/preview-frame';
import { buildPath } from '../route';
import { ResendDialog } from './resend-dialog';
import styles from './timeline.module.css';
import { VersionLink } from './version-link';

/** The content that was sent, its origin, and the button that resends it. */
export function SentContent({
  request,
  channelRow,
  onChanged,
}: {
  request: RequestAnswer;
  channelRow: MessageChannelRow;
  onChanged: () => Promise<void>;
}) {
  const notes = Object.entries(channelRow.notes);
  return (
    <aside className={styles.sent} aria-label="Rendered content">
      <h3>Rendered content</h3>
      {channelRow.rendered === null ? (
        <p className="faint small">
          {channelRow.attempts === 0 ? 'Nothing was rendered yet.' : 'The content was not kept.'}
        </p>
      ) : (
        <PreviewFrame
          channel={channelRow.channel}
          content={channelRow.rendered}
          notes={channelRow.notes}
          target={channelRow.target}
          isBare
        />
      )}
      <dl>
        <dt>Template</dt>
        <dd>
          <VersionLink request={request} />
          {request.call.locale !== null && `, ${request.call.locale}`}
        </dd>
        {channelRow.integration && (
          <>
            <dt>Integration</dt>
            <dd className="mono cut">
              {channelRow.integration.name}
              {channelRow.integration.isRemoved && ', removed'}
            </dd>
          </>
        )}
        <ResendFacts channelRow={channelRow} />
        {notes.map(([name, value]) => (
          <div key={name}>
            <dt>{name.replaceAll('_', ' ')}</dt>
            <dd title={toText(value)}>{toText(value)}</dd>
          </div>
        ))}
        <dt>Message</dt>
        <dd className="mono cut" title={channelRow.messageId}>
          {channelRow.messageId}
        </dd>
      </dl>
      <ResendAction channelRow={channelRow} onChanged={onChanged} />
    </aside>
  );
}

/** For a resent message: the original message and the resend run. */
function ResendFacts({
  channelRow: { resendOf: originalMessageId, resendRun },
}: {
  channelRow: MessageChannelRow;
}) {
  const app = useApp();
  return (
    <>
      {originalMessageId && (
        <>
          <dt>Resend of</dt>
          <dd className="mono cut" title={originalMessageId}>
            {originalMessageId}
          </dd>
        </>
      )}
      {resendRun && (
        <>
          <dt>Resend run</dt>
          <dd className="mono cut">
            <Link to={buildPath(app.id, 'resends', resendRun)}>{resendRun}</Link>
          </dd>
        </>
      )}
    </>
  );
}

/** Resends a message; a delivered message needs a confirmation. */
function ResendAction({
  channelRow,
  onChanged,
}: {
  channelRow: MessageChannelRow;
  onChanged: () => Promise<void>;
}) {
  const app = useApp();
  const { api } = useServices();
  const { mayChange } = useSession();
  const [warning, setWarning] = useState<string>();
  const [problem, setProblem] = useState<PageProblem>();
  const { isAllowed, because } = channelRow.can.resend;
  async function resend(isConfirmed: boolean) {
    const answer = await api.call('POST /api/apps/:appId/messages/:messageId/resend', {
      appId: app.id,
      messageId: channelRow.messageId,
      body: { confirm: isConfirmed, confirmedState: channelRow.state },
    });
    setWarning(undefined);
    if ('value' in answer) return onChanged();
    if (answer.problem.code !== 'needs_confirmation') return setProblem(answer.problem);
    setWarning(answer.problem.error);
    // The warning may be about a state that the page does not show yet.
    await onChanged();
  }
  if (!mayChange || ['failed', 'unknown'].includes(channelRow.state)) return null;
  return (
    <div className={styles.resend}>
      <ProblemNote problem={problem} />
      {isAllowed && (
        <Button look="small" onClick={() => void resend(false)}>
          Resend {channelRow.channel}
        </Button>
      )}
      {!isAllowed && because && (
        <p className="faint small">This message cannot be resent now. {because}</p>
      )}
      {warning && (
        <ResendDialog
          what={channelRow.channel}
          warning={warning}
          onClose={() => setWarning(undefined)}
          onConfirm={() => void resend(true)}
        />
      )}
    </div>
  );
}

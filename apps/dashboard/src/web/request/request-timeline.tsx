import { type ReactNode, useState } from 'react';
import type {
  ChannelRow,
  MessageChannelRow,
  RequestAnswer,
  SkippedChannelRow,
  Step,
} from '../../api/requests';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { clock, count, duration, millis } from '../format';
import { toText } from '../parts/code';
import { Button, Link } from '../parts/controls';
import { ProblemNote } from '../parts/notes';
import { Mark } from '../parts/state-mark';
import { PreviewFrame } from '../previews/preview-frame';
import { buildPath } from '../route';
import { AttemptBody } from './attempt-body';
import { ExplanationText } from './explanation-text';
import { ResendDialog } from './resend-dialog';
import { getStepMark } from './timeline-axis';
import { VersionLink } from './version-link';

/** The steps of the selected channel row, with the sent content beside them. */
export function RequestTimeline({
  request,
  channelRow,
  onChanged,
}: {
  request: RequestAnswer;
  channelRow: ChannelRow;
  onChanged: () => Promise<void>;
}) {
  return (
    <div className="timeline">
      <ol className="rail">
        <TimelineRow
          time={`${clock(request.acceptedAt)}${millis(request.acceptedAt)}`}
          mark="dot"
          tone="s-delivered"
        >
          <h3>
            Accepted <span>{request.call.answer.status}</span>
          </h3>
          <p>
            {request.kind === 'bulk'
              ? 'The request was committed, then answered. Its messages were planned afterwards.'
              : 'The request and its messages were committed together, then answered.'}
          </p>
        </TimelineRow>
        {channelRow.kind === 'skipped' ? (
          <SkipTimelineRow channelRow={channelRow} />
        ) : (
          channelRow.steps.map((step) => (
            <StepTimelineRow
              key={`${step.kind} ${step.at} ${getStepText(step)}`}
              step={step}
              channelRow={channelRow}
              request={request}
            />
          ))
        )}
      </ol>
      {channelRow.kind === 'message' && (
        <Aside request={request} channelRow={channelRow} onChanged={onChanged} />
      )}
    </div>
  );
}

function TimelineRow({
  time,
  mark,
  tone,
  isGap = false,
  children,
}: {
  time: string;
  mark: string;
  tone?: string;
  isGap?: boolean;
  children: ReactNode;
}) {
  return (
    <li className={isGap ? 'gap' : ''}>
      <time>{time}</time>
      <Mark name={mark} {...(tone ? { tone } : {})} />
      <div>{children}</div>
    </li>
  );
}

function SkipTimelineRow({ channelRow }: { channelRow: SkippedChannelRow }) {
  return (
    <TimelineRow time="" mark="skipped">
      <h3>
        Skipped <span className="mono">{channelRow.reason}</span>
      </h3>
      <p>{channelRow.detail}</p>
      <ExplanationText explanation={channelRow.explanation} />
    </TimelineRow>
  );
}

const formatOffset = (ms: number) => `+${duration(Math.max(0, ms))}`;

function getStepText(step: Step): string {
  return step.kind === 'attempt' ? String(step.number) : (step.detail ?? '');
}

function StepTimelineRow({
  step,
  channelRow,
  request,
}: {
  step: Step;
  channelRow: MessageChannelRow;
  request: RequestAnswer;
}) {
  const time = formatOffset(step.at - request.acceptedAt);
  switch (step.kind) {
    case 'planned':
      return (
        <TimelineRow time={time} mark="dot" tone="s-delivered">
          <h3>
            Planned from <VersionLink request={request} /> <span>{formatPlan(request)}</span>
          </h3>
          {step.detail && <p>{step.detail}</p>}
        </TimelineRow>
      );
    case 'failover':
      return (
        <TimelineRow time={time} mark="skipped">
          <h3>
            Failover from <span className="mono">{step.integration}</span>
          </h3>
          <p>{step.detail}</p>
        </TimelineRow>
      );
    case 'waited':
      return (
        <TimelineRow time={time} mark="queued" isGap>
          <h3>{step.until === null ? 'Waits' : `Waited ${duration(step.until - step.at)}`}</h3>
          <p>{step.detail}</p>
        </TimelineRow>
      );
    case 'receipt':
      return (
        <TimelineRow time={time} mark={getStepMark(step.state, channelRow)}>
          <h3>
            {capitalize(step.state)}{' '}
            <span>by receipt{step.errorCode && `, ${step.errorCode}`}</span>
          </h3>
          {step.detail && <p>{step.detail}</p>}
          {step.body !== null && <Payload title="Receipt" value={step.body} />}
        </TimelineRow>
      );
    case 'settled':
      return (
        <TimelineRow time={time} mark={step.state}>
          <h3>
            {capitalize(step.state)} {step.reason && <span className="mono">{step.reason}</span>}
          </h3>
          <p>{step.detail}</p>
        </TimelineRow>
      );
    case 'attempt':
      return (
        <TimelineRow
          time={time}
          mark={getStepMark(attemptMarks[step.outcome ?? 'open'], channelRow)}
          isGap={step.outcome === 'retry'}
        >
          <AttemptBody step={step} />
        </TimelineRow>
      );
  }
}

function formatPlan({ kind, items, item, call, isSandbox }: RequestAnswer): string {
  return [
    items > 1 ? `item ${item + 1} of ${count(items)}` : kind !== 'single' && kind,
    call.locale !== null && `locale ${call.locale}`,
    isSandbox && 'delivered to the sandbox',
  ]
    .filter(Boolean)
    .join(', ');
}

const attemptMarks = {
  accepted: 'sent',
  rejected: 'failed',
  retry: 'retry',
  unknown: 'unknown',
  open: 'sending',
} as const;

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function Payload({ title, value }: { title: string; value: unknown }) {
  return (
    <details className="payload">
      <summary>{title}</summary>
      <pre>{toText(value)}</pre>
    </details>
  );
}

function Aside({
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
    <aside className="aside" aria-label="Sent content">
      <h3>Sent content</h3>
      {channelRow.rendered === null ? (
        <p className="faint small">The content was not kept.</p>
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
    const answer = await api.resend(app.id, channelRow.messageId, isConfirmed);
    setWarning(undefined);
    if ('value' in answer) return onChanged();
    if (answer.problem.code === 'needs_confirmation') setWarning(answer.problem.error);
    else setProblem(answer.problem);
  }
  if (!mayChange || ['failed', 'unknown'].includes(channelRow.state)) return null;
  return (
    <div className="resend">
      <ProblemNote problem={problem} />
      {isAllowed && (
        <Button look="small" onClick={() => void resend(false)}>
          Resend {channelRow.channel}
        </Button>
      )}
      {!isAllowed && because && <p className="faint small">{because}</p>}
      {warning && (
        <ResendDialog
          warning={{ channelRow, text: warning }}
          onClose={() => setWarning(undefined)}
          onConfirm={() => void resend(true)}
        />
      )}
    </div>
  );
}

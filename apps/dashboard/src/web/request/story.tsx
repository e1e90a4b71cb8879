import { type ReactNode, useState } from 'react';
import type { Lane, MessageLane, RequestAnswer, SkippedLane, Step } from '../../api/requests';
import type { PageProblem } from '../api';
import { useApp, useDesk, useTools } from '../context';
import { clock, count, duration, millis } from '../format';
import { toText } from '../parts/code';
import { Button, Link } from '../parts/controls';
import { ProblemNote } from '../parts/notes';
import { Mark } from '../parts/state-mark';
import { Shot } from '../previews/shot';
import { pathOf } from '../route';
import { AttemptBody } from './attempt-body';
import { Explained } from './explained';
import { getStepMark } from './lane-axis';
import { ResendDialog } from './resend-dialog';
import { VersionLink } from './version-link';

/** The selected lane, step by step, with what was sent beside it. */
export function Story({
  request,
  lane,
  onChanged,
}: {
  request: RequestAnswer;
  lane: Lane;
  onChanged: () => Promise<void>;
}) {
  return (
    <div className="story">
      <ol className="rail">
        <Line
          time={`${clock(request.acceptedAt)}${millis(request.acceptedAt)}`}
          mark="dot"
          tone="s-delivered"
        >
          <h3>
            Accepted <span>{request.call.answer.status}</span>
          </h3>
          <p>
            {request.kind === 'bulk'
              ? 'The request was committed, then answered; its messages were planned after that.'
              : 'Request and messages were committed together, then answered.'}
          </p>
        </Line>
        {lane.kind === 'skipped' ? (
          <SkipLine lane={lane} />
        ) : (
          lane.steps.map((step) => (
            <StepLine
              key={`${step.kind} ${step.at} ${wordsOf(step)}`}
              step={step}
              lane={lane}
              request={request}
            />
          ))
        )}
      </ol>
      {lane.kind === 'message' && <Aside request={request} lane={lane} onChanged={onChanged} />}
    </div>
  );
}

function Line({
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

function SkipLine({ lane }: { lane: SkippedLane }) {
  return (
    <Line time="" mark="skipped">
      <h3>
        Skipped <span className="mono">{lane.reason}</span>
      </h3>
      <p>{lane.detail}</p>
      <Explained of={lane.explanation} />
    </Line>
  );
}

const offset = (ms: number) => `+${duration(Math.max(0, ms))}`;

function wordsOf(step: Step): string {
  return step.kind === 'attempt' ? String(step.number) : (step.detail ?? '');
}

function StepLine({
  step,
  lane,
  request,
}: {
  step: Step;
  lane: MessageLane;
  request: RequestAnswer;
}) {
  const time = offset(step.at - request.acceptedAt);
  switch (step.kind) {
    case 'planned':
      return (
        <Line time={time} mark="dot" tone="s-delivered">
          <h3>
            Planned on <VersionLink request={request} /> <span>{planWords(request)}</span>
          </h3>
          {step.detail && <p>{step.detail}</p>}
        </Line>
      );
    case 'passed_over':
      return (
        <Line time={time} mark="skipped">
          <h3>
            Passed over <span className="mono">{step.integration}</span>
          </h3>
          <p>{step.detail}</p>
        </Line>
      );
    case 'waited':
      return (
        <Line time={time} mark="queued" isGap>
          <h3>{step.until === null ? 'Waits' : `Waited ${duration(step.until - step.at)}`}</h3>
          <p>{step.detail}</p>
        </Line>
      );
    case 'receipt':
      return (
        <Line time={time} mark={getStepMark(step.state, lane)}>
          <h3>
            {capital(step.state)} <span>by receipt{step.errorCode && `, ${step.errorCode}`}</span>
          </h3>
          {step.detail && <p>{step.detail}</p>}
          {step.body !== null && <Payload title="Receipt" value={step.body} />}
        </Line>
      );
    case 'settled':
      return (
        <Line time={time} mark={step.state}>
          <h3>
            {capital(step.state)} {step.reason && <span className="mono">{step.reason}</span>}
          </h3>
          <p>{step.detail}</p>
        </Line>
      );
    case 'attempt':
      return (
        <Line
          time={time}
          mark={getStepMark(attemptMark[step.outcome ?? 'open'], lane)}
          isGap={step.outcome === 'retry'}
        >
          <AttemptBody step={step} />
        </Line>
      );
  }
}

function planWords({ kind, items, item, call, isSandbox }: RequestAnswer): string {
  return [
    items > 1 ? `item ${item + 1} of ${count(items)}` : kind !== 'single' && kind,
    call.locale !== null && `locale ${call.locale}`,
    isSandbox && 'to the sandbox',
  ]
    .filter(Boolean)
    .join(', ');
}

const attemptMark = {
  accepted: 'sent',
  rejected: 'failed',
  retry: 'retry',
  unknown: 'unknown',
  open: 'sending',
} as const;

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

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
  lane,
  onChanged,
}: {
  request: RequestAnswer;
  lane: MessageLane;
  onChanged: () => Promise<void>;
}) {
  const notes = Object.entries(lane.notes);
  return (
    <aside className="aside" aria-label="What was sent">
      <h3>What was sent</h3>
      {lane.rendered === null ? (
        <p className="faint small">No content is kept for it.</p>
      ) : (
        <Shot
          channel={lane.channel}
          content={lane.rendered}
          notes={lane.notes}
          target={lane.target}
          isBare
        />
      )}
      <dl>
        <dt>Template</dt>
        <dd>
          <VersionLink request={request} />
          {request.call.locale !== null && `, ${request.call.locale}`}
        </dd>
        {lane.integration && (
          <>
            <dt>Integration</dt>
            <dd className="mono cut">
              {lane.integration.name}
              {lane.integration.isRemoved && ', removed'}
            </dd>
          </>
        )}
        <ResendFacts lane={lane} />
        {notes.map(([name, value]) => (
          <div key={name}>
            <dt>{name.replaceAll('_', ' ')}</dt>
            <dd title={toText(value)}>{toText(value)}</dd>
          </div>
        ))}
        <dt>Message</dt>
        <dd className="mono cut" title={lane.messageId}>
          {lane.messageId}
        </dd>
      </dl>
      <ResendLane lane={lane} onChanged={onChanged} />
    </aside>
  );
}

/** Of a message that was sent again: which one it was before, and by which run. */
function ResendFacts({ lane: { resendOf, resendRun } }: { lane: MessageLane }) {
  const app = useApp();
  return (
    <>
      {resendOf && (
        <>
          <dt>Resend of</dt>
          <dd className="mono cut" title={resendOf}>
            {resendOf}
          </dd>
        </>
      )}
      {resendRun && (
        <>
          <dt>By the run</dt>
          <dd className="mono cut">
            <Link to={pathOf(app.id, 'resends', resendRun)}>{resendRun}</Link>
          </dd>
        </>
      )}
    </>
  );
}

/** Any message that may be sent again, also a delivered one: that asks first. */
function ResendLane({ lane, onChanged }: { lane: MessageLane; onChanged: () => Promise<void> }) {
  const app = useApp();
  const { api } = useTools();
  const { mayChange } = useDesk();
  const [warning, setWarning] = useState<string>();
  const [problem, setProblem] = useState<PageProblem>();
  const { isAllowed, because } = lane.can.resend;
  async function resend(isConfirmed: boolean) {
    const answer = await api.resend(app.id, lane.messageId, isConfirmed);
    setWarning(undefined);
    if ('value' in answer) return onChanged();
    if (answer.problem.code === 'needs_confirmation') setWarning(answer.problem.error);
    else setProblem(answer.problem);
  }
  if (!mayChange || ['failed', 'unknown'].includes(lane.state)) return null;
  return (
    <div className="resend">
      <ProblemNote problem={problem} />
      {isAllowed && (
        <Button look="small" onClick={() => void resend(false)}>
          Resend {lane.channel}
        </Button>
      )}
      {!isAllowed && because && <p className="faint small">{because}</p>}
      {warning && (
        <ResendDialog
          warned={{ lane, text: warning }}
          onClose={() => setWarning(undefined)}
          onConfirm={() => void resend(true)}
        />
      )}
    </div>
  );
}

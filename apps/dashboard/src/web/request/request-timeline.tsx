import { toItemNumber } from '@belfry/shared';
import type { ReactNode } from 'react';
import type {
  ChannelRow,
  MessageChannelRow,
  RequestAnswer,
  SkippedChannelRow,
  Step,
} from '../../api/requests';
import { formatFull, formatMillis, formatTime } from '../dates';
import { count, duration } from '../format';
import { toText } from '../parts/code';
import { Mark } from '../parts/state-mark';
import { AttemptBody } from './attempt-body';
import { ExplanationText } from './explanation-text';
import { SentContent } from './sent-content';
import styles from './timeline.module.css';
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
    <div className={styles.timeline}>
      <ol className={styles.rail}>
        <TimelineRow
          at={request.acceptedAt}
          time={formatTime(request.acceptedAt) + formatMillis(request.acceptedAt)}
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
        <SentContent request={request} channelRow={channelRow} onChanged={onChanged} />
      )}
    </div>
  );
}

function TimelineRow({
  at,
  time,
  mark,
  tone,
  isGap = false,
  children,
}: {
  /** For the tooltip; `time` may be relative. */
  at?: number;
  time: string;
  mark: string;
  tone?: string;
  isGap?: boolean;
  children: ReactNode;
}) {
  return (
    <li className={isGap ? styles.gap : ''}>
      <time title={at === undefined ? undefined : formatFull(at)}>{time}</time>
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
  const times = { at: step.at, time: formatOffset(step.at - request.acceptedAt) };
  switch (step.kind) {
    case 'planned':
      return (
        <TimelineRow {...times} mark="dot" tone="s-delivered">
          <h3>
            Planned from <VersionLink request={request} /> <span>{formatPlan(request)}</span>
          </h3>
          {step.detail && <p>{step.detail}</p>}
        </TimelineRow>
      );
    case 'failover':
      return (
        <TimelineRow {...times} mark="skipped">
          <h3>
            Failover from <span className="mono">{step.integration}</span>
          </h3>
          <p>{step.detail}</p>
        </TimelineRow>
      );
    case 'waited':
      return (
        <TimelineRow {...times} mark="queued" isGap>
          <h3>{step.until === null ? 'Waiting' : `Waited ${duration(step.until - step.at)}`}</h3>
          <p>{step.detail}</p>
        </TimelineRow>
      );
    case 'receipt':
      return (
        <TimelineRow {...times} mark={getStepMark(step.state, channelRow)}>
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
        <TimelineRow {...times} mark={step.state}>
          <h3>
            {capitalize(step.state)} {step.reason && <span className="mono">{step.reason}</span>}
          </h3>
          <p>{step.detail}</p>
        </TimelineRow>
      );
    case 'attempt':
      return (
        <TimelineRow
          {...times}
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
    items > 1 ? `item ${toItemNumber(item)} of ${count(items)}` : kind !== 'single' && kind,
    call.locale !== null && `locale ${call.locale}`,
    isSandbox && 'for the sandbox',
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

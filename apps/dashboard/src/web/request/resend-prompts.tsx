import type { QueueReason } from '@belfry/shared';
import { useState } from 'react';
import type { ChannelRow, MessageChannelRow } from '../../api/requests';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { moment } from '../format';
import { useKeys } from '../keyboard';
import { formatWait } from '../log/waits';
import { Button, KeyHint } from '../parts/controls';
import { Mark } from '../parts/state-mark';
import { ResendDialog, type ResendWarning } from './resend-dialog';

/** Messages that need a decision: failed, unknown, and waiting ones that can be cancelled. */
export function ResendPrompts({
  channelRows,
  onChanged,
}: {
  channelRows: ChannelRow[];
  onChanged: () => Promise<void>;
}) {
  const app = useApp();
  const { api } = useServices();
  const { mayChange } = useSession();
  const [warning, setWarning] = useState<ResendWarning>();
  const [problem, setProblem] = useState<PageProblem>();
  const messages = channelRows.filter(
    (channelRow): channelRow is MessageChannelRow => channelRow.kind === 'message',
  );
  async function resend(channelRow: MessageChannelRow, isConfirmed: boolean) {
    const answer = await api.call('POST /api/apps/:appId/messages/:messageId/resend', {
      appId: app.id,
      messageId: channelRow.messageId,
      body: { confirm: isConfirmed },
    });
    setWarning(undefined);
    if ('value' in answer) setProblem(undefined);
    else if (answer.problem.code === 'needs_confirmation') {
      setWarning({ channelRow, text: answer.problem.error });
    } else setProblem(answer.problem);
    await onChanged();
  }
  async function cancel(channelRow: MessageChannelRow) {
    const answer = await api.call('POST /api/apps/:appId/messages/:messageId/cancel', {
      appId: app.id,
      messageId: channelRow.messageId,
    });
    setProblem('problem' in answer ? answer.problem : undefined);
    await onChanged();
  }
  const first = messages.find(({ state, can }) => needsAttention(state) && can.resend.isAllowed);
  useKeys({ r: () => mayChange && first && void resend(first, false) });
  const actionableRows = messages.filter(
    ({ state, waits }) => needsAttention(state) || waits !== null,
  );
  if (actionableRows.length === 0 && !problem) return null;
  return (
    <>
      <ul className="asks" aria-label="Needs a decision">
        {problem && <ProblemRow problem={problem} />}
        {actionableRows.map((channelRow) => (
          <PromptRow
            key={channelRow.messageId}
            channelRow={channelRow}
            isFirst={channelRow === first}
            mayChange={mayChange}
            onResend={() => void resend(channelRow, false)}
            onCancel={() => void cancel(channelRow)}
          />
        ))}
      </ul>
      {warning && (
        <ResendDialog
          warning={warning}
          onClose={() => setWarning(undefined)}
          onConfirm={() => void resend(warning.channelRow, true)}
        />
      )}
    </>
  );
}

const dueLabels: Partial<Record<QueueReason, string>> = {
  due: 'Due since',
  schedule: 'Due at',
  paused: 'Next check at',
  needs_attention: 'Next check at',
};

function describeWait(wait: NonNullable<MessageChannelRow['waits']>) {
  const { reason, dueAt, sentence } = wait;
  if (reason === 'retry') return `${formatWait(wait, Date.now())}.`;
  if (dueAt === null || (reason === 'paused' && dueAt <= Date.now())) return sentence;
  return `${sentence} ${dueLabels[reason] ?? 'Next attempt at'} ${moment(dueAt, Date.now())}.`;
}

const needsAttention = (state: string) => state === 'failed' || state === 'unknown';

function ProblemRow({ problem }: { problem: PageProblem }) {
  return (
    <li className="red" role="alert">
      <Mark name="failed" />
      <p>{problem.error}</p>
    </li>
  );
}

function PromptRow({
  channelRow,
  isFirst,
  mayChange,
  onResend,
  onCancel,
}: {
  channelRow: MessageChannelRow;
  /** Whether the keyboard shortcut applies to this row. */
  isFirst: boolean;
  mayChange: boolean;
  onResend: () => void;
  onCancel: () => void;
}) {
  const { can, channel, state, waits, explanation } = channelRow;
  const tone = { failed: 'red', unknown: 'amber' }[state] ?? 'plain';
  const message = waits ? describeWait(waits) : (explanation?.what ?? '');
  return (
    <li className={tone}>
      <Mark name={state} />
      <p>
        <b>{channel}</b> {message} {explanation?.remedy}
        {needsAttention(state) && !can.resend.isAllowed && ` ${can.resend.because ?? ''}`}
      </p>
      {mayChange && needsAttention(state) && can.resend.isAllowed && (
        <Button look="small" onClick={onResend} {...(isFirst ? { 'aria-keyshortcuts': 'r' } : {})}>
          {state === 'unknown' ? `Resend ${channel} anyway` : `Resend ${channel}`}
          {isFirst && <KeyHint keys="r" />}
        </Button>
      )}
      {mayChange && can.cancel.isAllowed && (
        <Button look="small" onClick={onCancel}>
          Cancel {channel}
        </Button>
      )}
    </li>
  );
}

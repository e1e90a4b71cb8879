import { useState } from 'react';
import type { Lane, MessageLane } from '../../api/requests';
import type { PageProblem } from '../api';
import { useApp, useDesk, useTools } from '../context';
import { useKeys } from '../keyboard';
import { Button, KeyHint } from '../parts/controls';
import { Mark } from '../parts/state-mark';
import { ResendDialog, type Warned } from './resend-dialog';

/** What needs a decision: failed and unknown messages, and those that wait and can be cancelled. */
export function Asks({ lanes, onChanged }: { lanes: Lane[]; onChanged: () => Promise<void> }) {
  const app = useApp();
  const { api } = useTools();
  const { mayChange } = useDesk();
  const [warned, setWarned] = useState<Warned>();
  const [problem, setProblem] = useState<PageProblem>();
  const messages = lanes.filter((lane): lane is MessageLane => lane.kind === 'message');
  async function resend(lane: MessageLane, isConfirmed: boolean) {
    const answer = await api.resend(app.id, lane.messageId, isConfirmed);
    setWarned(undefined);
    if ('value' in answer) setProblem(undefined);
    else if (answer.problem.code === 'needs_confirmation') {
      setWarned({ lane, text: answer.problem.error });
    } else setProblem(answer.problem);
    await onChanged();
  }
  async function cancel(lane: MessageLane) {
    const answer = await api.cancel(app.id, lane.messageId);
    setProblem('problem' in answer ? answer.problem : undefined);
    await onChanged();
  }
  const first = messages.find(({ state, can }) => needsEye(state) && can.resend.isAllowed);
  useKeys({ r: () => mayChange && first && void resend(first, false) });
  const shown = messages.filter(({ state, waits }) => needsEye(state) || waits !== null);
  if (shown.length === 0 && !problem) return null;
  return (
    <>
      <ul className="asks" aria-label="Needs a decision">
        {problem && <ProblemLine problem={problem} />}
        {shown.map((lane) => (
          <AskLine
            key={lane.messageId}
            lane={lane}
            isFirst={lane === first}
            mayChange={mayChange}
            onResend={() => void resend(lane, false)}
            onCancel={() => void cancel(lane)}
          />
        ))}
      </ul>
      {warned && (
        <ResendDialog
          warned={warned}
          onClose={() => setWarned(undefined)}
          onConfirm={() => void resend(warned.lane, true)}
        />
      )}
    </>
  );
}

const needsEye = (state: string) => state === 'failed' || state === 'unknown';

function ProblemLine({ problem }: { problem: PageProblem }) {
  return (
    <li className="red" role="alert">
      <Mark name="failed" />
      <p>{problem.error}</p>
    </li>
  );
}

function AskLine({
  lane,
  isFirst,
  mayChange,
  onResend,
  onCancel,
}: {
  lane: MessageLane;
  /** The one that the key is for. */
  isFirst: boolean;
  mayChange: boolean;
  onResend: () => void;
  onCancel: () => void;
}) {
  const { can, channel, state, waits, explanation } = lane;
  const tone = { failed: 'red', unknown: 'amber' }[state] ?? 'plain';
  const words = waits?.sentence ?? explanation?.what ?? '';
  return (
    <li className={tone}>
      <Mark name={state} />
      <p>
        <b>{channel}</b> {words} {explanation?.remedy}
        {needsEye(state) && !can.resend.isAllowed && ` ${can.resend.because ?? ''}`}
      </p>
      {mayChange && needsEye(state) && can.resend.isAllowed && (
        <Button look="small" onClick={onResend} {...(isFirst ? { 'aria-keyshortcuts': 'r' } : {})}>
          {state === 'unknown' ? 'Resend, may duplicate' : `Resend ${channel}`}
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

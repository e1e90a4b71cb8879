import { useEffect, useEffectEvent, useState } from 'react';
import type { ResendRunAnswer, ResentMessage } from '../../api/resends';
import { useAnswer } from '../answers';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { formatFull } from '../dates';
import { count, plural } from '../format';
import { Button, Link } from '../parts/controls';
import { channelIcon, Icon } from '../parts/icons';
import { Name } from '../parts/name';
import { AwayBar, NoteBox, ProblemNote } from '../parts/notes';
import { CloseButton, PaneHeading, UnreadPane } from '../parts/pane';
import { State } from '../parts/state-mark';
import { type Column, Table } from '../parts/table';
import requestStyles from '../request/request.module.css';
import { buildPath } from '../route';
import styles from './resend.module.css';
import { FilterTags } from './resend-by-filter-dialog';
import { RunState } from './run-state';

const readAgainMs = 1_000;
/** Resent messages may still be in progress. */
const readOnMs = 5_000;

/** Progress of a resend run, and the states of its messages. */
export function RunPane({
  resendId,
  onChanged,
  onClose,
}: {
  resendId: string;
  onChanged: () => void;
  onClose: () => void;
}) {
  const app = useApp();
  const [isOver, setOver] = useState(false);
  const run = useAnswer(
    'GET /api/apps/:appId/resends/:resendId',
    { appId: app.id, resendId },
    { everyMs: isOver ? readOnMs : readAgainMs },
  );
  const { value } = run;
  const isEnded = value !== undefined && value.finishedAt !== null;
  if (isEnded !== isOver) setOver(isEnded);
  const state = value?.state;
  // The list beside it also shows the state.
  const notifyChange = useEffectEvent((next: string | undefined) => next && onChanged());
  useEffect(() => void notifyChange(state), [state]);
  return (
    <section className={`pane ${requestStyles['detail']}`} aria-label="Resend">
      {!value && <UnreadPane loaded={run} reload={run.reload} what="resend" onClose={onClose} />}
      {value && (
        <>
          <AwayBar loaded={run} reload={run.reload} />
          <RunHead run={value} onClose={onClose} onRun={run.set} />
          <div className="pad">
            <Progress run={value} />
            <LeftOutList run={value} />
            <CurrentStateTable run={value} />
          </div>
          <MessageTable run={value} />
        </>
      )}
    </section>
  );
}

function RunHead({
  run,
  onClose,
  onRun,
}: {
  run: ResendRunAnswer;
  onClose: () => void;
  onRun: (run: ResendRunAnswer) => void;
}) {
  const app = useApp();
  const { api } = useServices();
  const { mayChange } = useSession();
  const [problem, setProblem] = useState<PageProblem>();
  async function cancel() {
    const answer = await api.call('POST /api/apps/:appId/resends/:resendId/cancel', {
      appId: app.id,
      resendId: run.id,
    });
    if ('value' in answer) onRun(answer.value);
    setProblem('problem' in answer ? answer.problem : undefined);
  }
  return (
    <div className="d-head">
      <div className="line">
        <PaneHeading className="plain">Resend of {plural(run.matched, 'message')}</PaneHeading>
        <RunState run={run} />
        <span className="grow" />
        {mayChange && run.finishedAt === null && (
          <Button look="small" onClick={() => void cancel()}>
            Cancel remaining {count(run.left)}
          </Button>
        )}
        <CloseButton label="Close resend" onClose={onClose} />
      </div>
      <dl className="facts">
        <div>
          <dt>Confirmed</dt>
          <dd>
            {formatFull(run.createdAt)} {run.createdBy && `by ${run.createdBy}`}
          </dd>
        </div>
        <div>
          <dt>Rate</dt>
          <dd>at most {run.perSecond} per second</dd>
        </div>
        {run.finishedAt !== null && (
          <div>
            <dt>{run.state === 'cancelled' ? 'Cancelled' : 'Finished'}</dt>
            <dd>
              {formatFull(run.finishedAt)} {run.cancelledBy && `by ${run.cancelledBy}`}
            </dd>
          </div>
        )}
        <div>
          <dt>Run</dt>
          <dd className="mono cut" title={run.id}>
            {run.id}
          </dd>
        </div>
      </dl>
      <FilterTags filters={run.filters} />
      <ProblemNote problem={problem} />
    </div>
  );
}

function Progress({ run }: { run: ResendRunAnswer }) {
  const { matched, resent, skipped, cancelled, left, state, hasNoWorker } = run;
  const done = resent + skipped;
  return (
    <div className={styles.progress}>
      <progress max={matched} value={done} aria-label={`${done} of ${matched} done`} />
      <p className={requestStyles['tally']} role="status">
        <State name="sent">{count(resent)} resent</State>
        {skipped > 0 && <State name="skipped">{count(skipped)} not resent</State>}
        {cancelled > 0 && <State name="skipped">{count(cancelled)} cancelled</State>}
        {left > 0 && <State name="queued">{count(left)} pending</State>}
      </p>
      {hasNoWorker && (
        <NoteBox tone="red" title="No worker runs this resend.">
          No message is lost. Start a process with the role <code>fanout</code>.
        </NoteBox>
      )}
      {state === 'paused' && (
        <NoteBox tone="amber" title="The resend is paused.">
          All sending of this app is paused, including this resend. No message is lost.
        </NoteBox>
      )}
    </div>
  );
}

function LeftOutList({ run: { skips } }: { run: ResendRunAnswer }) {
  if (skips.length === 0) return null;
  return (
    <ul className={styles.skips} aria-label="Not resent">
      {skips.map(({ reason, means, messages }) => (
        <li key={reason}>
          <b>
            {count(messages)} {reason.replaceAll('_', ' ')}.
          </b>{' '}
          {means}
        </li>
      ))}
    </ul>
  );
}

function CurrentStateTable({ run: { states } }: { run: ResendRunAnswer }) {
  if (states.length === 0) return null;
  const channels = [...new Set(states.map(({ channel }) => channel))];
  return (
    <dl className={styles.sums} aria-label="Current states">
      {channels.map((channel) => (
        <div key={channel}>
          <dt>
            <span className="state">
              <Icon name={channelIcon(channel)} size={14} />
              {channel}
            </span>
          </dt>
          <dd>
            {states
              .filter((each) => each.channel === channel)
              .map(({ state, messages }) => (
                <State key={state} name={state}>
                  {state} {count(messages)}
                </State>
              ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function MessageTable({ run: { messages, matched } }: { run: ResendRunAnswer }) {
  const columns: Column<ResentMessage>[] = [
    { header: 'Channel', cell: ({ channel }) => channel ?? 'deleted' },
    {
      header: 'To',
      className: 'ev',
      title: ({ target }) => target,
      cell: (message) => <Recipient message={message} />,
    },
    { header: 'Before', cell: ({ stateThen }) => <State name={stateThen} /> },
    { header: 'Now', cell: (message) => <Outcome message={message} /> },
  ];
  return (
    <>
      <Table
        caption="Messages"
        className={styles.messages ?? ''}
        columns={columns}
        rows={messages}
        getKey={({ messageId }) => messageId}
      />
      {matched > messages.length && (
        <p className="nothing">
          {count(messages.length)} of {count(matched)} shown.
        </p>
      )}
    </>
  );
}

function Recipient({ message: { target, requestId } }: { message: ResentMessage }) {
  const app = useApp();
  if (!requestId || !target) return <Name text={target ?? 'deleted by retention'} />;
  return (
    <Link to={buildPath(app.id, 'log', requestId)}>
      <Name text={target} />
    </Link>
  );
}

function Outcome({ message: { outcome, newState } }: { message: ResentMessage }) {
  if (outcome === null) return <span className="faint">pending</span>;
  if (outcome === 'resent')
    return <State name={newState ?? 'skipped'}>{newState ?? 'deleted'}</State>;
  return <State name="skipped">{outcome.replaceAll('_', ' ')}</State>;
}

import { useEffect, useId, useState } from 'react';
import { useNavigate } from 'react-router';
import type { LogFilters } from '../../api/log';
import type { ResendCountAnswer } from '../../api/resends';
import type { Api, PageProblem } from '../api';
import { useApp, useServices } from '../context';
import { count, duration, plural } from '../format';
import { type PageFilters, toQuery } from '../log/filters';
import { Button, Link } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { Form, useField } from '../parts/form';
import { channelIcon, Icon } from '../parts/icons';
import { NoteBox, ProblemNote } from '../parts/notes';
import { State } from '../parts/state-mark';
import { useForm } from '../parts/use-form';
import { buildPath } from '../route';
import { listFilterTerms } from './filter-terms';
import styles from './resend.module.css';

/** Shows count, channels and possible duplicates before the resend starts. */
export function ResendByFilterDialog({
  filters,
  onClose,
}: {
  filters: PageFilters;
  onClose: () => void;
}) {
  const app = useApp();
  const { api } = useServices();
  const [query] = useState(() => toQuery(filters, Date.now()));
  const [resendCount, setResendCount] = useState<ResendCountAnswer>();
  const [problem, setProblem] = useState<PageProblem>();
  useEffect(() => {
    let isCurrent = true;
    void countResend(api, app.id, query).then((answer) => {
      if (!isCurrent) return;
      if ('value' in answer) setResendCount(answer.value);
      else setProblem(answer.problem);
    });
    return () => {
      isCurrent = false;
    };
  }, [api, app.id, query]);
  return (
    <Dialog title="Resend all matching messages" onClose={onClose}>
      <div className="form">
        {!resendCount && !problem && <p className="waiting-line">Counting matching messages…</p>}
        {!resendCount && <ProblemNote problem={problem} />}
        {resendCount && <CountSummary resendCount={resendCount} />}
        {resendCount && resendCount.messages > 0 && !resendCount.isOver ? (
          <Confirm
            resendCount={resendCount}
            onClose={onClose}
            onRecount={setResendCount}
            query={query}
          />
        ) : (
          <div className="dialog-foot">
            <Button onClick={onClose}>Close</Button>
          </div>
        )}
      </div>
    </Dialog>
  );
}

function CountSummary({ resendCount }: { resendCount: ResendCountAnswer }) {
  const { messages, isOver, max, channels, states, leftOut, filters } = resendCount;
  if (isOver) {
    return (
      <NoteBox tone="amber" title={`More than ${count(max)} messages match.`}>
        A resend is limited to {count(max)} messages. Narrow the filter, for example by time.
      </NoteBox>
    );
  }
  return (
    <>
      <p>
        {messages === 0 ? (
          'No matching message can be resent.'
        ) : (
          <>
            <b>{plural(messages, 'message')}</b> will be resent, each as a new message of its
            request with the same version, data and address.
          </>
        )}
      </p>
      <FilterTags filters={filters} />
      {messages > 0 && (
        <dl className={styles.sums}>
          <dt>By channel</dt>
          <dd>
            {channels.map(({ name, messages: each }) => (
              <span className="state" key={name}>
                <Icon name={channelIcon(name)} size={14} />
                {name} {count(each)}
              </span>
            ))}
          </dd>
          <dt>By state</dt>
          <dd>
            {states.map(({ name, messages: each }) => (
              <State key={name} name={name}>
                {name} {count(each)}
              </State>
            ))}
          </dd>
        </dl>
      )}
      <Duplicates resendCount={resendCount} />
      <Waits waiting={resendCount.waiting} />
      {leftOut.length > 0 && (
        <ul className={styles.skips} aria-label="Not resent">
          {leftOut.map(({ reason, means, messages: each }) => (
            <li key={reason}>
              <b>{plural(each, 'message')} not resent.</b> {means}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

export function FilterTags({ filters }: Pick<ResendCountAnswer, 'filters'>) {
  return (
    <p className={styles.filter}>
      {listFilterTerms(filters).map(({ name, value }) => (
        <span className="tag" key={name}>
          {name} <b>{value}</b>
        </span>
      ))}
    </p>
  );
}

function Duplicates({ resendCount: { mayDuplicate, states } }: { resendCount: ResendCountAnswer }) {
  if (mayDuplicate === 0) return null;
  const title = `${plural(mayDuplicate, 'message')} may arrive twice.`;
  return (
    <NoteBox tone="amber" title={title}>
      {states.flatMap(({ warning }) => warning ?? []).join(' ')}
    </NoteBox>
  );
}

function Waits({ waiting }: { waiting: number }) {
  if (waiting === 0) return null;
  return (
    <NoteBox tone="amber" title={`${plural(waiting, 'message')} would wait.`}>
      The app, channel or integration is paused, or the integration needs attention. Resume it
      first.
    </NoteBox>
  );
}

function countResend(api: Api, appId: string, query: LogFilters) {
  return api.call('GET /api/apps/:appId/resends/count', { appId, query });
}

type ConfirmProps = {
  query: LogFilters;
  onClose: () => void;
  resendCount: ResendCountAnswer;
  onRecount: (resendCount: ResendCountAnswer) => void;
};

function Confirm({ resendCount, query, onClose, onRecount }: ConfirmProps) {
  const app = useApp();
  const { api } = useServices();
  const navigate = useNavigate();
  const { messages, mayDuplicate, paces, filters, states } = resendCount;
  const confirmedStates = Object.fromEntries(states.map((each) => [each.name, each.messages]));
  const form = useForm({ perSecond: paces[1] ?? paces[0] ?? 1 });
  async function start({ perSecond }: { perSecond: number }) {
    const answer = await api.call('POST /api/apps/:appId/resends', {
      appId: app.id,
      body: { filters, confirmed: messages, confirmedStates, perSecond },
    });
    if ('problem' in answer && answer.problem.code === 'needs_confirmation') await recount();
    return answer;
  }
  async function recount() {
    const again = await countResend(api, app.id, query);
    if ('value' in again) onRecount(again.value);
  }
  const openRun = ({ id }: { id: string }) => navigate(buildPath(app.id, 'resends', id));
  return (
    <Form form={form} onSubmit={form.submit(start, openRun)}>
      <RateField resendCount={resendCount} />
      <div className="dialog-foot">
        <Button look="main-action" type="submit">
          Resend {plural(messages, 'message')}
          {mayDuplicate > 0 && ` (${count(mayDuplicate)} may arrive twice)`}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
        <span className="grow" />
        <Link className="small" to={buildPath(app.id, 'resends')}>
          Previous resends
        </Link>
      </div>
    </Form>
  );
}

function RateField({ resendCount: { messages, paces } }: { resendCount: ResendCountAnswer }) {
  const { field, set, problem } = useField<number>('perSecond', 'Rate');
  const hintId = useId();
  return (
    <>
      <label className={styles.rate}>
        Rate{' '}
        <select
          {...field}
          className="input"
          aria-invalid={problem ? true : undefined}
          aria-describedby={hintId}
          onChange={({ target }) => set(Number(target.value))}
        >
          {paces.map((pace) => (
            <option key={pace} value={pace}>
              {pace} per second, about {duration(Math.ceil((messages * 1_000) / pace))}
            </option>
          ))}
        </select>
      </label>
      <p id={hintId} className={problem ? 'hint bad' : 'hint'}>
        {problem ??
          'This is the maximum. Single sends have priority, and the limits of integrations apply. You can cancel the remaining messages at any time.'}
      </p>
    </>
  );
}

import { type FormEvent, useState } from 'react';
import { TwoStep } from '../account/two-step';
import type { Answer } from '../../api/contract';
import { useAnswer } from '../answers';
import type { PageProblem } from '../api';
import { useServices, useSession } from '../context';
import { moment } from '../format';
import { Button } from '../parts/controls';
import { Field } from '../parts/field';
import { AwayBar, NoteBox, ProblemNote, Waiting } from '../parts/notes';
import { type Column, Table } from '../parts/table';
import '../page-styles';

export function AccountPage() {
  const { session } = useSession();
  return (
    <div className="pane">
      <div className="pad two-columns">
        <div className="column">
          <section aria-label="Password">
            <h2 className="sect">{session.operator.email}</h2>
            <p className="dim small">
              {session.operator.role} of {session.account.name}
            </p>
            <PasswordForm />
          </section>
          <TwoStep />
        </div>
        <section aria-label="Sessions">
          <h2 className="sect">Sessions</h2>
          <SessionTable />
          {session.connection.kind === 'plain' && (
            <NoteBox tone="plain">
              This page was loaded over plain HTTP on this machine, so its cookie is not marked
              Secure.
            </NoteBox>
          )}
        </section>
      </div>
    </div>
  );
}

function PasswordForm() {
  const { api } = useServices();
  const [password, setPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const [problem, setProblem] = useState<PageProblem>();
  const [isDone, setDone] = useState(false);
  async function submit(event: FormEvent) {
    event.preventDefault();
    const answer = await api.call('PUT /api/password', { body: { password, newPassword } });
    setDone('value' in answer);
    setProblem('problem' in answer ? answer.problem : undefined);
    if ('value' in answer) setPassword('');
    if ('value' in answer) setNewPassword('');
  }
  const isWrong = problem?.code === 'wrong_password';
  const under = problem?.fields?.find(({ path }) => path === 'newPassword')?.problem;
  return (
    <form className="form narrow" onSubmit={(event) => void submit(event)}>
      {!isWrong && !under && <ProblemNote problem={problem} />}
      {isDone && (
        <NoteBox tone="green">Password changed. Your other sessions were revoked.</NoteBox>
      )}
      <Field
        label="Current password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        problem={isWrong ? problem.error : undefined}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Field
        label="New password"
        type="password"
        autoComplete="new-password"
        required
        value={newPassword}
        problem={under}
        hint="You can use a sentence and paste it."
        onChange={(event) => setNewPassword(event.target.value)}
      />
      <div>
        <Button type="submit">Change password</Button>
      </div>
    </form>
  );
}

type SessionRow = Answer<'GET /api/sessions'>['sessions'][number];

function SessionTable() {
  const { api } = useServices();
  const list = useAnswer('GET /api/sessions');
  const now = Date.now();
  async function end(id: string) {
    await api.call('DELETE /api/sessions/:id', { id });
    await list.reload();
  }
  if (!list.value) return <Waiting loaded={list} reload={list.reload} what="sessions" />;
  const columns: Column<SessionRow>[] = [
    {
      header: 'Signed in',
      className: 'num-left',
      cell: ({ createdAt }) => moment(createdAt, now),
    },
    {
      header: 'Last seen',
      className: 'num-left',
      cell: ({ lastSeenAt }) => moment(lastSeenAt, now),
    },
    {
      header: 'Expires',
      className: 'num-left opt',
      cell: ({ expiresAt }) => moment(expiresAt, now),
    },
    {
      header: 'Revoke',
      isHeaderHidden: true,
      className: 'right',
      cell: ({ id, isThisOne }) =>
        isThisOne ? (
          <span className="tag on">this session</span>
        ) : (
          <Button look="small" onClick={() => void end(id)}>
            Revoke
          </Button>
        ),
    },
  ];
  return (
    <>
      <AwayBar loaded={list} reload={list.reload} />
      <Table
        caption="Sessions"
        columns={columns}
        rows={list.value.sessions}
        getKey={({ id }) => id}
      />
    </>
  );
}

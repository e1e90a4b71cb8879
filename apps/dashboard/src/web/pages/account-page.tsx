import { useState } from 'react';
import type { Answer } from '../../api/contract';
import { TwoStep } from '../account/two-step';
import { useAnswer, useReload } from '../answers';
import type { PageProblem } from '../api';
import { useServices, useSession } from '../context';
import { Button } from '../parts/controls';
import { ErrorCount, Form, TextField } from '../parts/form';
import { Moment } from '../parts/moment';
import { Name } from '../parts/name';
import { AwayBar, NoteBox, ProblemNote, Waiting } from '../parts/notes';
import stacked from '../parts/stacked-rows.module.css';
import { type Column, Table } from '../parts/table';
import { useForm } from '../parts/use-form';
import styles from './account-page.module.css';

export function AccountPage() {
  const { session } = useSession();
  return (
    <div className="pane">
      <div className={`pad ${styles.columns}`}>
        <div className={styles.column}>
          <section aria-label="Password">
            <h2 className="sect">
              <Name text={session.operator.email} />
            </h2>
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
  const reload = useReload();
  const form = useForm({ password: '', newPassword: '' });
  const [isDone, setDone] = useState(false);
  const change = form.submit(
    (body) => api.call('PUT /api/password', { body }),
    async () => {
      form.reset({ password: '', newPassword: '' });
      setDone(true);
      await reload('GET /api/sessions');
    },
  );
  async function onSubmit() {
    setDone(false);
    await change();
  }
  return (
    <Form form={form} className="form narrow" onSubmit={onSubmit}>
      {isDone && (
        <NoteBox tone="green">Password changed. Your other sessions were revoked.</NoteBox>
      )}
      <TextField
        name="password"
        label="Current password"
        type="password"
        autoComplete="current-password"
        required
      />
      <TextField
        name="newPassword"
        label="New password"
        type="password"
        autoComplete="new-password"
        required="Enter a new password."
        hint="You can use a sentence and paste it."
      />
      <ErrorCount />
      <div>
        <Button type="submit">Change password</Button>
      </div>
    </Form>
  );
}

type SessionRow = Answer<'GET /api/sessions'>['sessions'][number];

function SessionTable() {
  const { api } = useServices();
  const list = useAnswer('GET /api/sessions');
  const [problem, setProblem] = useState<PageProblem>();
  async function end(id: string) {
    const answer = await api.call('DELETE /api/sessions/:id', { id });
    setProblem('problem' in answer ? answer.problem : undefined);
    await list.reload();
  }
  if (!list.value) return <Waiting loaded={list} reload={list.reload} what="sessions" />;
  const columns: Column<SessionRow>[] = [
    {
      header: 'Signed in',
      className: 'num-left',
      cell: ({ createdAt }) => (
        <span data-label="signed in">
          <Moment at={createdAt} />
        </span>
      ),
    },
    {
      header: 'Last seen',
      className: 'num-left',
      cell: ({ lastSeenAt }) => (
        <span data-label="last seen">
          <Moment at={lastSeenAt} />
        </span>
      ),
    },
    {
      header: 'Expires',
      className: 'num-left',
      cell: ({ expiresAt }) => (
        <span data-label="expires">
          <Moment at={expiresAt} />
        </span>
      ),
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
      <ProblemNote problem={problem} />
      <Table
        caption="Sessions"
        className={stacked.rows}
        columns={columns}
        rows={list.value.sessions}
        getKey={({ id }) => id}
      />
    </>
  );
}

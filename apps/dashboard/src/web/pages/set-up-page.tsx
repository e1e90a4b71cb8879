import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import type { Connection, SessionAnswer, SetUpLookAnswer } from '../../api/session';
import type { PageProblem } from '../api';
import { useServices } from '../context';
import { formatFull } from '../dates';
import { Button, Link } from '../parts/controls';
import { ErrorCount, Form, TextField } from '../parts/form';
import { Bell } from '../parts/icons';
import { ProblemNote } from '../parts/notes';
import { useForm } from '../parts/use-form';
import { NextSteps, RunningFacts, Tower } from './running-facts';
import styles from './set-up.module.css';

/** The token stays in the URL fragment, which browsers do not send, until it is posted. */
export function SetUpPage({
  token: linkToken,
  connection,
  onDone,
}: {
  token: string | undefined;
  connection: Connection;
  onDone: (session: SessionAnswer) => void;
}) {
  const { api } = useServices();
  const navigate = useNavigate();
  const [token] = useState(() => linkToken ?? window.location.hash.slice(1));
  const [look, setLook] = useState<SetUpLookAnswer>();
  const [problem, setProblem] = useState<PageProblem>();
  useEffect(() => {
    void api.call('POST /api/set-up/look', { body: { token } }).then((answer) => {
      if ('value' in answer) setLook(answer.value);
      else setProblem(answer.problem);
    });
  }, [api, token]);
  const [isPasswordSet, setPasswordSet] = useState(false);
  function enter(session: SessionAnswer) {
    // Two-step sign-in is on: the new password alone does not sign in.
    if (session.state === 'signed_out') return setPasswordSet(true);
    void navigate('/', { replace: true });
    onDone(session);
  }
  return (
    <main className={styles.setup}>
      <section>
        <div className="brand">
          <Bell />
          Belfry
        </div>
        {look && !isPasswordSet && <SetUpForm look={look} token={token} onDone={enter} />}
        {isPasswordSet && <PasswordSet />}
        {problem?.code === 'link_ended' && <LinkEnded problem={problem} />}
        {problem && problem.code !== 'link_ended' && (
          <>
            <ProblemNote problem={problem} />
            <Button onClick={() => window.location.reload()}>Try again</Button>
          </>
        )}
      </section>
      <section className={styles.system} aria-label="This system">
        <Tower />
        <RunningFacts connection={connection} />
        {look?.kind === 'setup' && <NextSteps />}
      </section>
    </main>
  );
}

function PasswordSet() {
  return (
    <>
      <h1>Password changed</h1>
      <p>Two-step sign-in is still on.</p>
      <p>
        <Link to="/">Sign in</Link> with the new password and a code.
      </p>
    </>
  );
}

function LinkEnded({ problem }: { problem: PageProblem }) {
  return (
    <>
      <h1>This link does not work</h1>
      <p>{problem.error}</p>
      <p>
        A link works once. A set-up link is valid for 30 minutes or until the next{' '}
        <code>npm start</code>; an invitation for 72 hours. <Link to="/">Sign in</Link>.
      </p>
    </>
  );
}

const actionLabels: Record<SetUpLookAnswer['kind'], string> = {
  setup: 'Create operator and sign in',
  invite: 'Join and sign in',
  reset: 'Change password and sign in',
};

const addArticle = (role: string) => (role === 'viewer' ? `a ${role}` : `an ${role}`);

function getTitle({ kind, accountName }: SetUpLookAnswer): string {
  if (kind === 'setup') return 'Create the first operator';
  return kind === 'reset' ? 'Set a new password' : `Join ${accountName}`;
}

function SetUpForm({
  look,
  token,
  onDone,
}: {
  look: SetUpLookAnswer;
  token: string;
  onDone: (session: SessionAnswer) => void;
}) {
  const { api } = useServices();
  const form = useForm({ email: look.email ?? '', password: '' });
  const password = form.watch('password');
  const least = look.minPasswordLength;
  const onSubmit = form.submit(
    (values) => api.call('POST /api/set-up', { body: { token, ...values } }),
    onDone,
  );
  return (
    <>
      <h1>{getTitle(look)}</h1>
      <p>
        You opened a one-time link. It expires at {formatFull(look.expiresAt)} or when you finish.
        {look.role && ` You will be ${addArticle(look.role)} of ${look.accountName}.`}
      </p>
      <Form form={form} onSubmit={onSubmit}>
        <TextField
          name="email"
          label="E-mail"
          type="email"
          autoComplete="username"
          required="Enter your e-mail address."
          readOnly={look.email !== null}
        />
        <TextField
          name="password"
          label="Password"
          aside={password ? `${password.length} characters` : undefined}
          type="password"
          autoComplete="new-password"
          required="Enter a password."
          minLength={least}
          hint={`At least ${least} characters. You can use a sentence and paste it.`}
        />
        <ErrorCount />
        <Button look="main-action" type="submit">
          {actionLabels[look.kind]} <kbd data-keys="Enter" />
        </Button>
      </Form>
    </>
  );
}

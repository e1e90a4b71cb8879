import { type FormEvent, useState } from 'react';
import type { Body } from '../../api/contract';
import type { SessionAnswer } from '../../api/session';
import type { PageProblem } from '../api';
import { useServices } from '../context';
import { Button } from '../parts/controls';
import { Field } from '../parts/field';
import { Bell } from '../parts/icons';
import { ProblemNote } from '../parts/notes';
import { CodeStep } from './code-step';
import { RunningFacts, Tower } from './running-facts';
import '../page-styles';

type SignedOut = Extract<SessionAnswer, { state: 'signed_out' }>;

export function SignInPage({
  session,
  hasEnded,
  onDone,
}: {
  session: SignedOut;
  hasEnded: boolean;
  onDone: (session: SessionAnswer) => void;
}) {
  return (
    <main className="setup">
      <section>
        <div className="brand">
          <Bell />
          Belfry
        </div>
        {session.needsSetUp ? <NoOperator /> : <SignInForm hasEnded={hasEnded} onDone={onDone} />}
      </section>
      <section className="now" aria-label="This system">
        <Tower />
        <RunningFacts connection={session.connection} />
      </section>
    </main>
  );
}

function NoOperator() {
  return (
    <>
      <h1>No operators yet</h1>
      <p>
        Open the one-time link that <code>npm start</code> printed. It expires after 30 minutes.
        Restart for a new one, or create an operator with <code>belfry operator</code>.
      </p>
    </>
  );
}

/** The steps of a sign-in: the password, perhaps an account, perhaps a code. Each sends what the earlier ones sent. */
function useSignIn(onDone: (session: SessionAnswer) => void) {
  const { api } = useServices();
  const [attempt, setAttempt] = useState<Body<'POST /api/session'>>();
  const [problem, setProblem] = useState<PageProblem>();
  const [isBusy, setBusy] = useState(false);
  const [needsCode, setNeedsCode] = useState(false);
  async function signIn(body: Body<'POST /api/session'>) {
    setAttempt(body);
    setBusy(true);
    const answer = await api.call('POST /api/session', { body });
    setBusy(false);
    if ('value' in answer) return onDone(answer.value);
    setProblem(answer.problem);
    if (answer.problem.code === 'needs_code') setNeedsCode(true);
  }
  function startAgain() {
    setProblem(undefined);
    setNeedsCode(false);
  }
  return { attempt, problem, isBusy, needsCode, signIn, startAgain };
}

function SignInForm({
  hasEnded,
  onDone,
}: {
  hasEnded: boolean;
  onDone: (session: SessionAnswer) => void;
}) {
  const { attempt, problem, isBusy, needsCode, signIn, startAgain } = useSignIn(onDone);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  if (attempt && needsCode) {
    const onCode = (code: string) => void signIn({ ...attempt, code });
    return <CodeStep problem={problem} isBusy={isBusy} onCode={onCode} onBack={startAgain} />;
  }
  if (attempt && problem?.code === 'choose_account') {
    return (
      <AccountChoice
        accounts={problem.accounts ?? []}
        isBusy={isBusy}
        onChoose={(accountId) => void signIn({ ...attempt, accountId })}
      />
    );
  }
  function submit(event: FormEvent) {
    event.preventDefault();
    void signIn({ email, password });
  }
  return (
    <>
      <h1>Sign in</h1>
      <p>
        {hasEnded
          ? 'Your session ended. Sign in to return to this page.'
          : 'Sign in as an operator.'}
      </p>
      <form className="form" onSubmit={submit}>
        <ProblemNote problem={problem} />
        <Field
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <Field
          label="Password"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <Button look="main-action" type="submit" disabled={isBusy}>
          Sign in <kbd data-keys="Enter" />
        </Button>
      </form>
      <ForgottenPassword email={email} />
    </>
  );
}

/** Only an address without characters that a shell reads is put into the command. */
const plainEmail = /^[\w.+-]{1,64}@[\w.-]{1,254}$/;

function ForgottenPassword({ email }: { email: string }) {
  return (
    <details>
      <summary>Forgot your password?</summary>
      <p>
        Ask an owner of your account. Whoever runs Belfry gets a link for a new password from{' '}
        <code>belfry operator reset {plainEmail.test(email) ? email : 'EMAIL'}</code>.
      </p>
    </details>
  );
}

/** The same password may match in several accounts. */
function AccountChoice({
  accounts,
  isBusy,
  onChoose,
}: {
  accounts: { id: string; name: string }[];
  isBusy: boolean;
  onChoose: (accountId: string) => void;
}) {
  return (
    <>
      <h1>Choose account</h1>
      <p>You are an operator of several accounts.</p>
      <div className="form">
        {accounts.map(({ id, name }) => (
          <Button key={id} disabled={isBusy} onClick={() => onChoose(id)}>
            Sign in to {name}
          </Button>
        ))}
      </div>
    </>
  );
}

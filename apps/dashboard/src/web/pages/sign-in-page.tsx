import { useState } from 'react';
import type { Body } from '../../api/contract';
import type { SessionAnswer } from '../../api/session';
import { useServices } from '../context';
import { Button } from '../parts/controls';
import { ErrorCount, Form, TextField } from '../parts/form';
import { Bell } from '../parts/icons';
import { useForm } from '../parts/use-form';
import { CodeStep } from './code-step';
import { RunningFacts, Tower } from './running-facts';
import styles from './set-up.module.css';

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
    <main className={styles.setup}>
      <section>
        <div className="brand">
          <Bell />
          Belfry
        </div>
        {session.needsSetUp ? <NoOperator /> : <SignInForm hasEnded={hasEnded} onDone={onDone} />}
      </section>
      <section className={styles.system} aria-label="This system">
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

type Steps = Body<'POST /api/session'>;

function SignInForm({
  hasEnded,
  onDone,
}: {
  hasEnded: boolean;
  onDone: (session: SessionAnswer) => void;
}) {
  const { api } = useServices();
  const form = useForm({ email: '', password: '' });
  const [earlier, setEarlier] = useState<Steps>();
  /** Each step sends what the earlier ones sent: the password, perhaps an account, perhaps a code. */
  const signIn = (account: Pick<Steps, 'accountId'> = {}) =>
    form.submit(async (values) => {
      const body = { ...values, ...account };
      const answer = await api.call('POST /api/session', { body });
      if ('problem' in answer && answer.problem.code === 'needs_code') setEarlier(body);
      return answer;
    }, onDone);
  if (earlier) {
    return (
      <CodeStep
        send={(code) => api.call('POST /api/session', { body: { ...earlier, code } })}
        onDone={onDone}
        onBack={() => {
          setEarlier(undefined);
          form.showProblem(undefined);
        }}
      />
    );
  }
  if (form.problem?.code === 'choose_account') {
    return (
      <AccountChoice
        accounts={form.problem.accounts ?? []}
        isBusy={form.isSubmitting}
        onChoose={(accountId) => void signIn({ accountId })()}
      />
    );
  }
  return (
    <>
      <h1>Sign in</h1>
      {hasEnded && <p>Your session ended. Sign in to return to this page.</p>}
      <Form form={form} onSubmit={signIn()}>
        <TextField
          name="email"
          label="E-mail"
          type="email"
          autoComplete="username"
          required="Enter your e-mail address."
        />
        <TextField
          name="password"
          label="Password"
          type="password"
          autoComplete="current-password"
          required="Enter your password."
        />
        <ErrorCount />
        <Button look="main-action" type="submit" disabled={form.isSubmitting}>
          Sign in <kbd data-keys="Enter" />
        </Button>
      </Form>
      <ForgottenPassword email={form.watch('email')} />
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
        The person who runs Belfry can create a link for a new password with{' '}
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
      <h1>Choose an account</h1>
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

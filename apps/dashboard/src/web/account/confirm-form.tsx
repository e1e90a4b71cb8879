import { type FormEvent, useState } from 'react';
import type { PageProblem } from '../api';
import { Button } from '../parts/controls';
import { Field } from '../parts/field';
import { ProblemNote } from '../parts/notes';
import { OneTimeCodeField } from '../parts/one-time-code-field';

type Confirmation = { password: string; code: string };

/** Asks for the password and, while two-step sign-in is on, a code. */
export function ConfirmForm({
  text,
  action,
  hasCode = false,
  isDanger = false,
  onConfirm,
  onCancel,
}: {
  text: string;
  action: string;
  hasCode?: boolean;
  isDanger?: boolean;
  onConfirm: (confirmation: Confirmation) => Promise<PageProblem | undefined>;
  onCancel: () => void;
}) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<PageProblem>();
  async function submit(event: FormEvent) {
    event.preventDefault();
    setProblem(await onConfirm({ password, code }));
  }
  const getProblem = (name: string) => (problem?.code === name ? problem.error : undefined);
  const [wrongPassword, wrongCode] = [getProblem('wrong_password'), getProblem('wrong_code')];
  return (
    <form className="form" onSubmit={(event) => void submit(event)}>
      <p>{text}</p>
      {!wrongPassword && !wrongCode && <ProblemNote problem={problem} />}
      <Field
        label="Your password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        problem={wrongPassword}
        onChange={(event) => setPassword(event.target.value)}
      />
      {hasCode && <OneTimeCodeField value={code} problem={wrongCode} onChange={setCode} />}
      <div className="dialog-foot">
        <Button look={isDanger ? 'danger' : 'main-action'} type="submit">
          {action}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}

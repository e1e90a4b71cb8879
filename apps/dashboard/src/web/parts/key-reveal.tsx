import { type FormEvent, type ReactNode, useState } from 'react';
import type { PageProblem } from '../api';
import { useServices } from '../context';
import { Button } from './controls';
import { Dialog } from './dialog';
import { Field } from './field';
import { ProblemNote } from './notes';

/** Asks for the password and returns the newest active key. */
export function KeyReveal({
  onKey,
  onClose,
}: {
  onKey: (key: string) => void;
  onClose: () => void;
}) {
  const { api } = useServices();
  return (
    <PasswordDialog
      title="Show API key"
      action="Show key"
      text="Anyone with the key can make calls. Confirm with your password."
      onClose={onClose}
      onPassword={async (password) => {
        const listed = await api.call('GET /api/keys');
        if ('problem' in listed) return listed.problem;
        const active = listed.value.keys.find(({ state }) => state === 'active');
        if (!active)
          return { code: 'not_found', error: 'No key is active. Create one under API keys.' };
        const answer = await api.call('POST /api/keys/:id/show', {
          id: active.id,
          body: { password },
        });
        if ('problem' in answer) return answer.problem;
        onKey(answer.value.key);
        return undefined;
      }}
    />
  );
}

export function PasswordDialog({
  title,
  text,
  action,
  before,
  extra,
  isDanger = false,
  onPassword,
  onClose,
}: {
  title: string;
  text: string;
  action: string;
  /** Form fields above and below the password. */
  before?: ReactNode;
  extra?: ReactNode;
  isDanger?: boolean;
  onPassword: (password: string) => Promise<PageProblem | undefined>;
  onClose: () => void;
}) {
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<PageProblem>();
  async function submit(event: FormEvent) {
    event.preventDefault();
    setProblem(await onPassword(password));
  }
  const isWrong = problem?.code === 'wrong_password';
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="form" onSubmit={(event) => void submit(event)}>
        <p>{text}</p>
        {!isWrong && <ProblemNote problem={problem} />}
        {before}
        <Field
          label="Your password"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          problem={isWrong ? problem.error : undefined}
          onChange={(event) => setPassword(event.target.value)}
        />
        {extra}
        <div className="dialog-foot">
          <Button look={isDanger ? 'danger' : 'main-action'} type="submit">
            {action}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}

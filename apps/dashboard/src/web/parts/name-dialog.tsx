import { type FormEvent, type ReactNode, useState } from 'react';
import type { PageProblem } from '../api';
import { Button } from './controls';
import { Dialog } from './dialog';
import { Field } from './field';
import { ProblemNote } from './notes';

/** A dialog that asks for a name. */
export function NameDialog({
  title,
  action,
  hint,
  maxLength,
  isMono = false,
  children,
  onName,
  onClose,
}: {
  title: string;
  /** Text of the button; may depend on the name. */
  action: (name: string) => string;
  hint: ReactNode;
  maxLength: number;
  isMono?: boolean;
  children?: ReactNode;
  /** The dialog closes on success. */
  onName: (name: string) => Promise<PageProblem | undefined>;
  onClose: () => void;
}) {
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<PageProblem>();
  async function submit(event: FormEvent) {
    event.preventDefault();
    setProblem(await onName(name));
  }
  const under = underName(problem);
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="form" onSubmit={(event) => void submit(event)}>
        {children}
        {!under && <ProblemNote problem={problem} />}
        <Field
          label="Name"
          required
          isMono={isMono}
          maxLength={maxLength}
          value={name}
          problem={under}
          hint={hint}
          onChange={(event) => setName(event.target.value)}
        />
        <div className="dialog-foot">
          <Button look="main-action" type="submit">
            {action(name)}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The problem of the name field. */
export function underName(problem: PageProblem | undefined): string | undefined {
  if (problem?.code === 'name_taken') return problem.error;
  return problem?.fields?.find(({ path }) => path === 'name')?.problem;
}

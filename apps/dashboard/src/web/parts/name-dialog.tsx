import { type FormEvent, type ReactNode, useState } from 'react';
import type { PageProblem } from '../api';
import { Button } from './controls';
import { Dialog } from './dialog';
import { Field } from './field';
import { ProblemNote } from './notes';

/** Asks for a name; what is wrong with it stands under it. */
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
  /** What the button says, which may depend on the name. */
  action: (name: string) => string;
  hint: ReactNode;
  maxLength: number;
  isMono?: boolean;
  children?: ReactNode;
  /** Closes by itself when it worked. */
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

/** What is said of the field itself. */
export function underName(problem: PageProblem | undefined): string | undefined {
  if (problem?.code === 'name_taken') return problem.error;
  return problem?.fields?.find(({ path }) => path === 'name')?.problem;
}

import type { ReactNode } from 'react';
import type { PageProblem, Result } from '../api';
import { TextField } from './form';
import { FormDialog } from './form-dialog';
import { useForm } from './use-form';

/** A dialog that asks for a name. */
export function NameDialog<Answer>({
  title,
  initial = '',
  action,
  hint,
  maxLength,
  isMono = false,
  children,
  send,
  onDone,
  onClose,
}: {
  title: string;
  initial?: string;
  /** Text of the button; may depend on the name, and on why the last one was refused. */
  action: (name: string, problem: PageProblem | undefined) => string;
  hint: ReactNode;
  maxLength: number;
  isMono?: boolean;
  children?: ReactNode;
  send: (name: string, problem: PageProblem | undefined) => Promise<Result<Answer>>;
  onDone: (answer: Answer) => unknown;
  onClose: () => void;
}) {
  const form = useForm({ name: initial });
  return (
    <FormDialog
      title={title}
      form={form}
      onSubmit={form.submit(({ name }) => send(name, form.problem), onDone)}
      onClose={onClose}
      action={action(form.watch('name'), form.problem)}
    >
      {children}
      <TextField
        name="name"
        label="Name"
        required="Enter a name."
        isMono={isMono}
        maxLength={maxLength}
        hint={hint}
      />
    </FormDialog>
  );
}

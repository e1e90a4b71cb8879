import type { ReactNode } from 'react';
import type { Result } from '../api';
import { TextField } from './form';
import { FormDialog } from './form-dialog';
import type { Form } from './use-form';

/** A dialog whose action the operator confirms with the password. */
export function PasswordDialog<Values extends { password: string }, Answer>({
  form,
  title,
  text,
  action,
  isDanger = false,
  send,
  onDone,
  onClose,
  children,
  extra,
}: {
  form: Form<Values>;
  title: string;
  text: string;
  action: string;
  isDanger?: boolean;
  send: (values: Values) => Promise<Result<Answer>>;
  onDone: (answer: Answer) => unknown;
  onClose: () => void;
  /** Fields above the password. */
  children?: ReactNode;
  /** Fields below it. */
  extra?: ReactNode;
}) {
  return (
    <FormDialog
      title={title}
      form={form}
      onSubmit={form.submit(send, onDone)}
      onClose={onClose}
      action={action}
      isDanger={isDanger}
    >
      <p>{text}</p>
      {children}
      <TextField
        name="password"
        label="Your password"
        type="password"
        autoComplete="current-password"
        required="Enter your password."
      />
      {extra}
    </FormDialog>
  );
}

import type { ReactNode } from 'react';
import type { Result } from '../api';
import { TextField } from './form';
import { FormDialog } from './form-dialog';
import { useForm } from './use-form';

/** A dialog that enables its button once the operator has entered the name of what changes. */
export function ConfirmNameDialog<Answer>({
  title,
  label,
  name,
  action,
  isWide = false,
  send,
  onDone,
  onClose,
  children,
}: {
  title: string;
  label: string;
  /** The text to enter. */
  name: string;
  action: string;
  isWide?: boolean;
  send: (confirmedName: string) => Promise<Result<Answer>>;
  onDone: (answer: Answer) => unknown;
  onClose: () => void;
  children: ReactNode;
}) {
  const form = useForm({ confirmName: '' });
  return (
    <FormDialog
      title={title}
      form={form}
      onSubmit={form.submit(({ confirmName }) => send(confirmName), onDone)}
      onClose={onClose}
      action={action}
      isDanger
      isDisabled={form.isSubmitting || form.watch('confirmName') !== name}
      isWide={isWide}
    >
      {children}
      <TextField name="confirmName" label={label} isMono autoComplete="off" />
    </FormDialog>
  );
}

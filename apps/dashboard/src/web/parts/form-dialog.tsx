import type { ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { Button } from './controls';
import { Dialog } from './dialog';
import { ErrorCount, Form } from './form';
import { UnsavedGuard, useAskBeforeClose } from './unsaved';
import type { Form as FormHandle } from './use-form';

type FormDialogProps<Values extends FieldValues> = {
  title: string;
  form: FormHandle<Values>;
  onSubmit: () => Promise<void>;
  onClose: () => void;
  /** Text of the button that submits. */
  action: string;
  isDanger?: boolean;
  isDisabled?: boolean;
  isWide?: boolean;
  /** Subject of the form. Closing asks before changes to it are lost. */
  unsaved?: string;
  /** Fewer changed fields than this are entered again quickly, so closing does not ask. */
  leastChanges?: number;
  children: ReactNode;
};

/** A dialog with one form. */
export function FormDialog<Values extends FieldValues>({
  title,
  form,
  onSubmit,
  onClose,
  action,
  isDanger = false,
  isDisabled = false,
  isWide = false,
  unsaved,
  leastChanges = 1,
  children,
}: FormDialogProps<Values>) {
  const closing = useAskBeforeClose(form, { what: unsaved, leastChanges, onClose });
  return (
    <Dialog title={title} onClose={closing.close} isWide={isWide}>
      <Form form={form} onSubmit={onSubmit}>
        {children}
        <div className="dialog-foot">
          <ErrorCount />
          <Button look={isDanger ? 'danger' : 'main-action'} type="submit" disabled={isDisabled}>
            {action}
          </Button>
          <Button onClick={closing.close}>Cancel</Button>
        </div>
      </Form>
      {unsaved !== undefined && <UnsavedGuard unsaved={closing.unsaved} what={unsaved} />}
      {closing.question}
    </Dialog>
  );
}

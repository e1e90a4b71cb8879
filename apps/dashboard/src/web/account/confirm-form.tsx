import type { Result } from '../api';
import { Button } from '../parts/controls';
import { ErrorCount, Form, TextField } from '../parts/form';
import { OneTimeCodeField } from '../parts/one-time-code-field';
import { useForm } from '../parts/use-form';

type Confirmation = { password: string; code: string };

/** Asks for the password and, while two-step sign-in is on, a code. */
export function ConfirmForm<Answer>({
  text,
  action,
  hasCode = false,
  isDanger = false,
  send,
  onDone,
  onCancel,
}: {
  text: string;
  action: string;
  hasCode?: boolean;
  isDanger?: boolean;
  send: (confirmation: Confirmation) => Promise<Result<Answer>>;
  onDone: (answer: Answer) => unknown;
  onCancel: () => void;
}) {
  const form = useForm({ password: '', code: '' });
  const emptyCode = () => form.reset({ password: form.watch('password'), code: '' });
  return (
    <Form form={form} onSubmit={form.submit(send, onDone)}>
      <p>{text}</p>
      <TextField
        name="password"
        label="Your password"
        type="password"
        autoComplete="current-password"
        required="Enter your password."
      />
      {hasCode && <OneTimeCodeField onChangeKind={emptyCode} />}
      <div className="dialog-foot">
        <ErrorCount />
        <Button look={isDanger ? 'danger' : 'main-action'} type="submit">
          {action}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </Form>
  );
}

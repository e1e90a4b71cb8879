import type { SessionAnswer } from '../../api/session';
import type { Result } from '../api';
import { Button } from '../parts/controls';
import { Form } from '../parts/form';
import { OneTimeCodeField } from '../parts/one-time-code-field';
import { useForm } from '../parts/use-form';

/** The second step of a sign-in. */
export function CodeStep({
  send,
  onDone,
  onBack,
}: {
  send: (code: string) => Promise<Result<SessionAnswer>>;
  onDone: (session: SessionAnswer) => void;
  onBack: () => void;
}) {
  const form = useForm({ code: '' });
  return (
    <>
      <h1>Enter a code</h1>
      <p>Two-step sign-in is on for this operator.</p>
      <Form form={form} onSubmit={form.submit(({ code }) => send(code), onDone)}>
        <OneTimeCodeField isFocused onChangeKind={() => form.reset({ code: '' })} />
        <div className="dialog-foot">
          <Button look="main-action" type="submit" disabled={form.isSubmitting}>
            Sign in <kbd data-keys="Enter" />
          </Button>
          <Button onClick={onBack}>Back</Button>
        </div>
      </Form>
      <details>
        <summary>No app and no recovery code?</summary>
        <p>
          An owner of your account can reset two-step sign-in under People. The person who runs
          Belfry can use <code>belfry operator reset-totp</code>.
        </p>
      </details>
    </>
  );
}

import { useState } from 'react';
import type { IntegrationAnswer } from '../../api/integrations';
import type { Result } from '../api';
import { Button, CopyButton } from '../parts/controls';
import { Field } from '../parts/field';
import { FormDialog } from '../parts/form-dialog';
import { useForm } from '../parts/use-form';

/** The public key of a pair that Belfry made, and a button that replaces the pair. A viewer does not see the key. */
export function MadeKeys({
  publicKey,
  replace,
  onReplaced,
}: {
  publicKey: string | null;
  /** Undefined if the operator may not change the integration. */
  replace: (() => Promise<Result<IntegrationAnswer>>) | undefined;
  onReplaced: (answer: IntegrationAnswer) => Promise<void>;
}) {
  const [isAsking, setAsking] = useState(false);
  const form = useForm({});
  return (
    <>
      <Field
        label="Public key"
        isMono
        readOnly
        value={publicKey ?? ''}
        hint="Pages subscribe with it. The private key never leaves Belfry."
        after={publicKey !== null && <CopyButton text={publicKey} label="Copy the public key" />}
      />
      {replace && (
        <div>
          <Button onClick={() => setAsking(true)}>Make new keys</Button>
        </div>
      )}
      {replace && isAsking && (
        <FormDialog
          title="Make new keys"
          form={form}
          onSubmit={form.submit(replace, async (answer) => {
            setAsking(false);
            await onReplaced(answer);
          })}
          onClose={() => setAsking(false)}
          action="Make new keys"
          isDanger
        >
          <p>
            Every browser is subscribed with the current public key. It gets no push until its page
            subscribes again with the new one. The current keys cannot be restored.
          </p>
        </FormDialog>
      )}
    </>
  );
}

import { lazy, Suspense, useState } from 'react';
import type { NewTotpSecret } from '../../api/totp';
import { useServices } from '../context';
import { CodeBlock } from '../parts/code';
import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { Form } from '../parts/form';
import { OneTimeCodeField } from '../parts/one-time-code-field';
import { useForm } from '../parts/use-form';
import { ConfirmForm } from './confirm-form';
import { RecoveryCodes } from './recovery-codes';

const QrCode = lazy(async () => ({ default: (await import('./qr-code')).QrCode }));

/** Password, then the secret and a first code, then the recovery codes. */
export function AddAppDialog({ onAdded, onClose }: { onAdded: () => void; onClose: () => void }) {
  const { api } = useServices();
  const [secret, setSecret] = useState<NewTotpSecret>();
  const [codes, setCodes] = useState<string[]>();
  function finish(recoveryCodes: string[]) {
    setCodes(recoveryCodes);
    onAdded();
  }
  return (
    <Dialog title={codes ? 'Save your recovery codes' : 'Add authenticator app'} onClose={onClose}>
      {!secret && (
        <ConfirmForm
          text="Every sign-in will ask for a code from the app after your password. Your other sessions will be revoked."
          action="Continue"
          send={({ password }) => api.call('POST /api/totp', { body: { password } })}
          onDone={setSecret}
          onCancel={onClose}
        />
      )}
      {secret && !codes && <FirstCodeForm {...secret} onConfirmed={finish} onCancel={onClose} />}
      {codes && <RecoveryCodes codes={codes} onDone={onClose} />}
    </Dialog>
  );
}

function FirstCodeForm({
  secret,
  uri,
  onConfirmed,
  onCancel,
}: NewTotpSecret & { onConfirmed: (recoveryCodes: string[]) => void; onCancel: () => void }) {
  const { api } = useServices();
  const form = useForm({ code: '' });
  const confirm = form.submit(
    (body) => api.call('POST /api/totp/confirm', { body }),
    ({ recoveryCodes }) => onConfirmed(recoveryCodes),
  );
  return (
    <Form form={form} onSubmit={confirm}>
      <p>Scan the QR code with your authenticator app, or enter the key there.</p>
      <Suspense fallback={null}>
        <QrCode text={uri} label="QR code for your authenticator app" />
      </Suspense>
      <CodeBlock title="Key" text={secret}>
        {secret.replace(/(.{4})(?=.)/g, '$1 ')}
      </CodeBlock>
      <OneTimeCodeField isFocused />
      <div className="dialog-foot">
        <Button look="main-action" type="submit">
          Turn on
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </Form>
  );
}

import { type FormEvent, lazy, Suspense, useState } from 'react';
import type { NewTotpSecret } from '../../api/totp';
import type { PageProblem } from '../api';
import { useServices } from '../context';
import { CodeBlock } from '../parts/code';
import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { ProblemNote } from '../parts/notes';
import { OneTimeCodeField } from '../parts/one-time-code-field';
import { ConfirmForm } from './confirm-form';
import { RecoveryCodes } from './recovery-codes';

const QrCode = lazy(async () => ({ default: (await import('./qr-code')).QrCode }));

/** Password, then the secret and a first code, then the recovery codes. */
export function AddAppDialog({ onAdded, onClose }: { onAdded: () => void; onClose: () => void }) {
  const { api } = useServices();
  const [secret, setSecret] = useState<NewTotpSecret>();
  const [codes, setCodes] = useState<string[]>();
  async function start({ password }: { password: string }) {
    const answer = await api.call('POST /api/totp', { body: { password } });
    if ('problem' in answer) return answer.problem;
    setSecret(answer.value);
    return undefined;
  }
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
          onConfirm={start}
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
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<PageProblem>();
  async function submit(event: FormEvent) {
    event.preventDefault();
    const answer = await api.call('POST /api/totp/confirm', { body: { code } });
    if ('problem' in answer) setProblem(answer.problem);
    else onConfirmed(answer.value.recoveryCodes);
  }
  const isWrong = problem?.code === 'wrong_code';
  return (
    <form className="form" onSubmit={(event) => void submit(event)}>
      <p>Scan the QR code with your authenticator app, or enter the key there.</p>
      {!isWrong && <ProblemNote problem={problem} />}
      <Suspense fallback={null}>
        <QrCode text={uri} label="QR code for your authenticator app" />
      </Suspense>
      <CodeBlock title="Key" text={secret}>
        {secret.replace(/(.{4})(?=.)/g, '$1 ')}
      </CodeBlock>
      <OneTimeCodeField
        value={code}
        problem={isWrong ? problem.error : undefined}
        isFocused
        mayRecover={false}
        onChange={setCode}
      />
      <div className="dialog-foot">
        <Button look="main-action" type="submit">
          Turn on
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}

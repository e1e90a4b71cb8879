import { type FormEvent, useState } from 'react';
import type { PageProblem } from '../api';
import { Button } from '../parts/controls';
import { ProblemNote } from '../parts/notes';
import { OneTimeCodeField } from '../parts/one-time-code-field';

/** The second step of a sign-in. */
export function CodeStep({
  problem,
  isBusy,
  onCode,
  onBack,
}: {
  problem: PageProblem | undefined;
  isBusy: boolean;
  onCode: (code: string) => void;
  onBack: () => void;
}) {
  const [code, setCode] = useState('');
  const isWrong = problem?.code === 'wrong_code';
  function submit(event: FormEvent) {
    event.preventDefault();
    onCode(code);
  }
  return (
    <>
      <h1>Enter a code</h1>
      <p>Two-step sign-in is on for this operator.</p>
      <form className="form" onSubmit={submit}>
        {!isWrong && problem?.code !== 'needs_code' && <ProblemNote problem={problem} />}
        <OneTimeCodeField
          value={code}
          problem={isWrong ? problem.error : undefined}
          isFocused
          onChange={setCode}
        />
        <div className="dialog-foot">
          <Button look="main-action" type="submit" disabled={isBusy}>
            Sign in <kbd data-keys="Enter" />
          </Button>
          <Button onClick={onBack}>Back</Button>
        </div>
      </form>
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

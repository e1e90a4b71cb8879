import { useEffect, useRef, useState } from 'react';
import { Button } from './controls';
import { Field } from './field';

type OneTimeCodeFieldProps = {
  value: string;
  problem: string | undefined;
  onChange: (code: string) => void;
  /** The field takes the focus when it appears. */
  isFocused?: boolean;
  mayRecover?: boolean;
};

/** A code of the authenticator app, or a recovery code instead. */
export function OneTimeCodeField({
  value,
  problem,
  onChange,
  isFocused = false,
  mayRecover = true,
}: OneTimeCodeFieldProps) {
  const [isRecovery, setRecovery] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isFocused) focusInput(place.current);
  }, [isFocused]);
  function changeKind() {
    setRecovery(!isRecovery);
    onChange('');
    focusInput(place.current);
  }
  return (
    <div ref={place} className="form">
      <Field
        {...(isRecovery ? recoveryField : appField)}
        isMono
        required
        value={value}
        // The next code is typed into an empty field.
        problem={value === '' ? undefined : problem}
        onChange={(event) => onChange(event.target.value)}
      />
      {mayRecover && (
        <div>
          <Button look="small" onClick={changeKind}>
            {isRecovery ? 'Use a code from the app' : 'Use a recovery code'}
          </Button>
        </div>
      )}
    </div>
  );
}

function focusInput(place: HTMLElement | null): void {
  place?.querySelector('input')?.focus();
}

const appField = {
  label: 'Code',
  hint: 'Six digits from your authenticator app.',
  inputMode: 'numeric',
  autoComplete: 'one-time-code',
} as const;

const recoveryField = {
  label: 'Recovery code',
  hint: 'Each recovery code works once.',
  inputMode: 'text',
  autoComplete: 'off',
} as const;

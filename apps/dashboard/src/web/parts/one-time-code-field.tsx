import { useEffect, useRef, useState } from 'react';
import { Button } from './controls';
import { TextField } from './form';

/** The field `code` of a form: a code of the authenticator app, or a recovery code instead. */
export function OneTimeCodeField({
  onChangeKind,
  isFocused = false,
}: {
  /** Empties the field. Without it, a recovery code is not accepted. */
  onChangeKind?: () => void;
  /** The field takes the focus when it appears. */
  isFocused?: boolean;
}) {
  const [isRecovery, setRecovery] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isFocused) focusInput(place.current);
  }, [isFocused]);
  function changeKind() {
    setRecovery(!isRecovery);
    onChangeKind?.();
    focusInput(place.current);
  }
  return (
    <div ref={place} className="form">
      <TextField name="code" isMono {...(isRecovery ? recoveryField : appField)} />
      {onChangeKind && (
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
  required: 'Enter a code.',
} as const;

const recoveryField = {
  label: 'Recovery code',
  hint: 'Each recovery code works once.',
  inputMode: 'text',
  autoComplete: 'off',
  required: 'Enter a recovery code.',
} as const;

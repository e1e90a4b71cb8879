import { type InputHTMLAttributes, type ReactNode, useId } from 'react';

type FieldProps = InputHTMLAttributes<HTMLInputElement> & {
  label: string;
  aside?: string | undefined;
  hint?: ReactNode;
  problem?: string | undefined;
  isMono?: boolean;
};

/** A form field with its error text below. */
export function Field({ label, aside, hint, problem, isMono, ...input }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <FieldHead id={id} label={label} aside={aside} />
      <input
        id={id}
        className={`input ${isMono ? 'mono' : ''} ${problem ? 'bad' : ''}`}
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem || hint ? `${id}-hint` : undefined}
        {...input}
      />
      <FieldFoot id={id} hint={hint} problem={problem} />
    </div>
  );
}

export function FieldHead({
  id,
  label,
  aside,
}: {
  id: string;
  label: string;
  aside?: string | undefined;
}) {
  return (
    <div className="field-head">
      <label htmlFor={id}>{label}</label>
      {aside && <small>{aside}</small>}
    </div>
  );
}

export function FieldFoot({
  id,
  hint,
  problem,
}: {
  id: string;
  hint?: ReactNode;
  problem?: string | undefined;
}) {
  if (!problem && !hint) return null;
  return (
    <div id={`${id}-hint`} className={problem ? 'hint bad' : 'hint'}>
      {problem ?? hint}
    </div>
  );
}

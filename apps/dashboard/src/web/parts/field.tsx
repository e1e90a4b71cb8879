import { type ComponentProps, type ReactNode, useId } from 'react';
import styles from './field.module.css';

type FieldText = {
  label: string;
  aside?: ReactNode;
  hint?: ReactNode;
  problem?: string | undefined;
};

type FieldProps = ComponentProps<'input'> &
  FieldText & {
    isMono?: boolean;
    /** A button beside the input. */
    after?: ReactNode;
  };

/** A form field with its error text below. */
export function Field({ label, aside, hint, problem, isMono, after, ...input }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <FieldHead id={id} label={label} aside={aside} />
      <div className={styles.row}>
        <input
          {...describe(id, { hint, problem })}
          className={`input ${isMono ? 'mono' : ''} ${problem ? 'bad' : ''}`}
          {...input}
        />
        {after}
      </div>
      <FieldFoot id={id} hint={hint} problem={problem} />
    </div>
  );
}

/** A text of several lines. */
export function AreaInput({
  label,
  aside,
  hint,
  problem,
  after,
  className = '',
  ...area
}: ComponentProps<'textarea'> & FieldText & { after?: ReactNode }) {
  const id = useId();
  return (
    <div className="field">
      <FieldHead id={id} label={label} aside={aside} />
      <div className={`${styles.row} ${styles.besideArea}`}>
        <textarea
          {...describe(id, { hint, problem })}
          className={`input mono area ${className} ${problem ? 'bad' : ''}`}
          spellCheck={false}
          autoComplete="off"
          {...area}
        />
        {after}
      </div>
      <FieldFoot id={id} hint={hint} problem={problem} />
    </div>
  );
}

export function SelectInput({
  label,
  aside,
  hint,
  problem,
  ...select
}: ComponentProps<'select'> & FieldText) {
  const id = useId();
  return (
    <div className="field">
      <FieldHead id={id} label={label} aside={aside} />
      <select
        {...describe(id, { hint, problem })}
        className={`input ${problem ? 'bad' : ''}`}
        {...select}
      />
      <FieldFoot id={id} hint={hint} problem={problem} />
    </div>
  );
}

export function CheckInput({
  label,
  hint,
  problem,
  ...input
}: ComponentProps<'input'> & FieldText) {
  const id = useId();
  return (
    <div className="field">
      <label className="check">
        <input type="checkbox" {...describe(id, { hint, problem })} {...input} />
        {label}
      </label>
      <FieldFoot id={id} hint={hint} problem={problem} />
    </div>
  );
}

/** Attributes of an input whose hint or error is the text of FieldFoot. */
function describe(id: string, { hint, problem }: Pick<FieldText, 'hint' | 'problem'>) {
  return {
    id,
    'aria-invalid': problem ? true : undefined,
    'aria-describedby': problem || hint ? `${id}-hint` : undefined,
  };
}

function FieldHead({ id, label, aside }: { id: string; label: string; aside?: ReactNode }) {
  return (
    <div className="field-head">
      <label htmlFor={id}>{label}</label>
      {aside && <small>{aside}</small>}
    </div>
  );
}

function FieldFoot({
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

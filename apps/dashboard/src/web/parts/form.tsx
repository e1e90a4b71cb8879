import { type ComponentProps, createContext, type ReactNode, useContext, useEffect } from 'react';
import { type FieldValues, get, useController, useFormState } from 'react-hook-form';
import { checkText, type TextRules } from './check-text';
import { CheckInput, Field, SelectInput } from './field';
import styles from './form.module.css';
import { NoteBox } from './notes';
import { SecretField } from './secret-field';
import type { Fields, Form as FormHandle } from './use-form';

const FieldsContext = createContext<Fields | undefined>(undefined);

function useFields(): Fields {
  const fields = useContext(FieldsContext);
  if (!fields) throw new Error('A form field is outside of a form');
  return fields;
}

/** A form whose fields show their own errors; the browser shows none. */
export function Form<Values extends FieldValues>({
  form,
  onSubmit,
  className = 'form',
  children,
}: {
  form: FormHandle<Values>;
  onSubmit: () => Promise<void>;
  className?: string | undefined;
  children: ReactNode;
}) {
  const { problem } = form;
  return (
    <FieldsContext value={form.fields}>
      <form
        ref={form.element}
        className={className}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          // React passes the events of a dialog on to the form that opened it, and that form would save itself, too.
          event.stopPropagation();
          void onSubmit();
        }}
      >
        {problem && (
          <NoteBox tone={problem.code === 'needs_confirmation' ? 'amber' : 'red'}>
            {problem.error}
          </NoteBox>
        )}
        {children}
      </form>
    </FieldsContext>
  );
}

/** How many fields are wrong, and which. A single one has the focus, and its own error. */
export function ErrorCount() {
  const { control, labels } = useFields();
  const { errors } = useFormState({ control });
  const wrong = [...labels].filter(([name]) => get(errors, name) !== undefined);
  if (wrong.length < 2) return null;
  return (
    <p className={styles.errorCount} role="status">
      {wrong.length} fields to correct: {wrong.map(([, label]) => label).join(', ')}
    </p>
  );
}

/** Binds one control to the field `name`. `check` returns a sentence that names the field. */
export function useField<Value>(
  name: string,
  label: string,
  check?: (value: Value) => string | undefined,
) {
  const { control, labels } = useFields();
  const { field, fieldState } = useController({
    control,
    name,
    rules: { validate: (value: Value) => check?.(value) ?? true },
  });
  useEffect(() => {
    labels.set(name, label);
    return () => void labels.delete(name);
  }, [labels, name, label]);
  const { onChange, ...rest } = field;
  return {
    field: { ...rest, value: field.value as Value },
    set: (value: Value) => onChange(value),
    problem: fieldState.error?.message,
  };
}

type TextFieldProps = TextRules &
  Omit<ComponentProps<typeof Field>, 'value' | 'problem' | 'onChange' | keyof TextRules> & {
    name: string;
    /** Changes the text as it is typed. */
    format?: (text: string) => string;
  };

/** A text field of a form. */
export function TextField({
  name,
  label,
  required,
  minLength,
  maxLength,
  format = (text) => text,
  ...rest
}: TextFieldProps) {
  const { field, set, problem } = useField<string>(name, label, (text) =>
    checkText(label, text, { required, minLength, maxLength }),
  );
  const shared = {
    ...rest,
    ...field,
    label,
    problem,
    'aria-required': Boolean(required),
    onChange: ({ target }: { target: { value: string } }) => set(format(target.value)),
  };
  return rest.type === 'password' ? <SecretField {...shared} /> : <Field {...shared} />;
}

/** A checkbox of a form. */
export function CheckField({ name, label, hint }: { name: string; label: string; hint?: string }) {
  const { field, set, problem } = useField<boolean>(name, label);
  const { value, ...rest } = field;
  return (
    <CheckInput
      {...rest}
      label={label}
      hint={hint}
      problem={problem}
      checked={value}
      onChange={({ target }) => set(target.checked)}
    />
  );
}

/** A choice of a form. */
export function SelectField({
  name,
  label,
  options,
}: {
  name: string;
  label: string;
  options: readonly string[];
}) {
  const { field, set, problem } = useField<string>(name, label);
  return (
    <SelectInput
      {...field}
      label={label}
      problem={problem}
      onChange={({ target }) => set(target.value)}
    >
      {options.map((option) => (
        <option key={option}>{option}</option>
      ))}
    </SelectInput>
  );
}

import { useId, useState } from 'react';
import { Field, FieldFoot, FieldHead } from '../parts/field';
import { checkField, getAt, type SchemaField, setAt, type Values } from './schema-fields';

type SchemaFormProps = {
  fields: readonly SchemaField[];
  values: Values;
  onChange: (values: Values) => void;
  /** Server errors by path. */
  problems?: Record<string, string>;
  /** A submitted form shows all errors; before that, each field shows its error after blur. */
  isStrict?: boolean;
  /** Last characters of stored credentials by path. The values are write-only. */
  stored?: Record<string, { last4: string }>;
  isSecret?: boolean;
};

export function SchemaForm(props: SchemaFormProps) {
  return props.fields.map((field) => <SchemaInput key={field.path} field={field} form={props} />);
}

type InputProps = { field: SchemaField; form: SchemaFormProps };

function SchemaInput({ field, form }: InputProps) {
  const [wasLeft, setLeft] = useState(false);
  const { path } = field;
  const value = getAt(form.values, path);
  const storedHint = form.stored?.[path];
  const problem = findProblem(field, form, wasLeft) ?? form.problems?.[path];
  const set = (next: unknown) => form.onChange(setAt(form.values, path, next));
  const shared = { field, value, problem, set, onBlur: () => setLeft(true) };
  if (field.kind === 'switch') return <SwitchInput {...shared} />;
  if (field.kind === 'choice') return <ChoiceInput {...shared} />;
  if (field.kind === 'long' || field.kind === 'lines' || field.kind === 'json') {
    return <AreaInput {...shared} storedHint={storedHint} isSecret={form.isSecret === true} />;
  }
  return <TextInput {...shared} storedHint={storedHint} isSecret={form.isSecret === true} />;
}

/** A field shows its error after blur or input. It may stay empty if its secret is stored. */
function findProblem(field: SchemaField, form: SchemaFormProps, wasLeft: boolean) {
  const value = getAt(form.values, field.path);
  const isEmpty = value === undefined || value === '';
  if (isEmpty && form.stored?.[field.path]) return undefined;
  return form.isStrict || wasLeft || !isEmpty ? checkField(field, value) : undefined;
}

type OneInput = {
  field: SchemaField;
  value: unknown;
  problem: string | undefined;
  set: (value: unknown) => void;
  onBlur: () => void;
};
type SecretInputProps = OneInput & { storedHint: { last4: string } | undefined; isSecret: boolean };

function getAside({ isRequired }: SchemaField, isSecret: boolean): string | undefined {
  if (isSecret) return 'write only';
  return isRequired ? undefined : 'optional';
}

function formatStoredHint(hint: { last4: string } | undefined): string | undefined {
  if (!hint) return undefined;
  return hint.last4 ? `stored, ends in ${hint.last4}` : 'stored';
}

function TextInput({ field, value, problem, set, onBlur, storedHint, isSecret }: SecretInputProps) {
  const isNumber = field.kind === 'number';
  return (
    <Field
      label={field.label}
      aside={getAside(field, isSecret)}
      hint={storedHint ? `Leave empty to keep the stored value. ${field.hint ?? ''}` : field.hint}
      problem={problem}
      isMono={!isNumber}
      type={isNumber ? 'number' : 'text'}
      autoComplete="off"
      spellCheck={false}
      placeholder={formatStoredHint(storedHint)}
      value={typeof value === 'string' || typeof value === 'number' ? value : ''}
      onBlur={onBlur}
      onChange={({ target }) => {
        if (target.value === '') set(undefined);
        else set(isNumber ? Number(target.value) : target.value);
      }}
    />
  );
}

function SwitchInput({ field, value, problem, set }: OneInput) {
  const id = useId();
  return (
    <div className="field">
      <label className="check">
        <input
          type="checkbox"
          aria-describedby={`${id}-hint`}
          checked={value === true}
          onChange={({ target }) => set(target.checked)}
        />
        {field.label}
      </label>
      <FieldFoot id={id} hint={field.hint} problem={problem} />
    </div>
  );
}

function ChoiceInput({ field, value, problem, set }: OneInput) {
  const id = useId();
  return (
    <div className="field">
      <FieldHead id={id} label={field.label} aside={getAside(field, false)} />
      <select
        id={id}
        className="input"
        value={typeof value === 'string' ? value : ''}
        onChange={({ target }) => set(target.value || undefined)}
      >
        {(!field.isRequired || value === undefined) && <option value="">none</option>}
        {field.choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
      <FieldFoot id={id} hint={field.hint} problem={problem} />
    </div>
  );
}

/** Long texts, lists with one value per line, and JSON. */
function AreaInput({ field, value, problem, set, onBlur, storedHint, isSecret }: SecretInputProps) {
  const id = useId();
  const [text, setText] = useState(() => toArea(field, value));
  const [isBroken, setBroken] = useState(false);
  function change(next: string) {
    setText(next);
    const read = fromArea(field, next);
    setBroken(read === invalidJson);
    if (read !== invalidJson) set(read);
  }
  const message = isBroken ? 'Enter valid JSON.' : problem;
  return (
    <div className="field">
      <FieldHead id={id} label={field.label} aside={getAside(field, isSecret)} />
      <textarea
        id={id}
        className={`input mono area ${message ? 'bad' : ''}`}
        rows={field.kind === 'lines' ? 2 : 4}
        spellCheck={false}
        autoComplete="off"
        placeholder={formatStoredHint(storedHint)}
        aria-invalid={message ? true : undefined}
        aria-describedby={`${id}-hint`}
        value={text}
        onBlur={onBlur}
        onChange={({ target }) => change(target.value)}
      />
      <FieldFoot
        id={id}
        problem={message}
        hint={field.hint ?? (field.kind === 'lines' ? 'One per line.' : undefined)}
      />
    </div>
  );
}

const invalidJson = Symbol('not JSON');

function toArea({ kind }: SchemaField, value: unknown): string {
  if (value === undefined) return '';
  if (kind === 'lines' && Array.isArray(value)) return value.join('\n');
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function fromArea({ kind }: SchemaField, text: string): unknown {
  if (text.trim() === '') return undefined;
  if (kind === 'long') return text;
  if (kind === 'lines') return text.split('\n').filter((line) => line.trim() !== '');
  try {
    return JSON.parse(text);
  } catch {
    return invalidJson;
  }
}

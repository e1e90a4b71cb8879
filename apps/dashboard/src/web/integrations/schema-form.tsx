import { useState } from 'react';
import type { StoredCredential } from '../../api/integrations';
import { ago } from '../format';
import { AreaInput, CheckInput, Field, SelectInput } from '../parts/field';
import { useField } from '../parts/form';
import { SecretField, ShowButton } from '../parts/secret-field';
import {
  checkField,
  fromRaw,
  getAt,
  invalidJson,
  type Raw,
  type SchemaField,
  setAt,
  showsValue,
  toRaw,
  type Values,
} from './schema-fields';

/** A field of a form, generated from a schema. A stored secret may stay empty. */
export function SchemaFormField({
  name,
  field,
  stored,
  isCredential = false,
}: {
  name: string;
  field: SchemaField;
  stored?: StoredCredential | undefined;
  isCredential?: boolean;
}) {
  const mayBeEmpty = stored !== undefined && stored.value === null;
  const bound = useField<Raw>(name, field.label, (raw) =>
    mayBeEmpty && raw === '' ? undefined : checkField(field, raw),
  );
  const { value: raw, ...control } = bound.field;
  const shared = { field, raw, problem: bound.problem, onRaw: bound.set, control };
  return isCredential && !showsValue(field) ? (
    <SecretInput {...shared} stored={stored} />
  ) : (
    <SchemaInput {...shared} />
  );
}

/** Fields of a draft, which keeps its own state. */
export function DraftFields({
  fields,
  values,
  problems,
  onChange,
}: {
  fields: readonly SchemaField[];
  values: Values;
  /** By path. */
  problems: Record<string, string>;
  onChange: (values: Values) => void;
}) {
  return fields.map((field) => (
    <DraftField
      key={field.path}
      field={field}
      value={getAt(values, field.path)}
      problem={problems[field.path]}
      onChange={(value) => onChange(setAt(values, field.path, value))}
    />
  ));
}

/** The draft keeps the last number or JSON that is right, while the field shows what is typed and its problem. */
export function DraftField({
  field,
  value,
  problem,
  onChange,
}: {
  field: SchemaField;
  value: unknown;
  problem?: string | undefined;
  onChange: (value: unknown) => void;
}) {
  const [typed, setTyped] = useState(() => toRaw(field, value));
  const isParsed = field.kind === 'number' || field.kind === 'json';
  const isKept = (raw: Raw) => isParsed && checkField(field, raw) !== undefined;
  const isCurrent = isKept(typed) || isSame(fromRaw(field, typed), value);
  const raw = isCurrent ? typed : toRaw(field, value);
  function change(next: Raw) {
    setTyped(next);
    if (!isKept(next)) onChange(fromRaw(field, next));
  }
  const own = raw === '' && !isParsed ? undefined : checkField(field, raw);
  return <SchemaInput field={field} raw={raw} problem={own ?? problem} onRaw={change} />;
}

function isSame(a: unknown, b: unknown): boolean {
  return a !== invalidJson && JSON.stringify(a) === JSON.stringify(b);
}

type InputProps = {
  field: SchemaField;
  raw: Raw;
  problem: string | undefined;
  onRaw: (raw: Raw) => void;
  control?: { name: string; onBlur: () => void; ref: (element: HTMLElement | null) => void };
};

function SchemaInput({ field, raw, problem, onRaw, control }: InputProps) {
  const shared = { ...control, label: field.label, hint: field.hint, problem };
  const change = ({ target }: { target: { value: string } }) => onRaw(target.value);
  const aside = field.isRequired ? undefined : 'optional';
  if (field.kind === 'switch') {
    return (
      <CheckInput
        {...shared}
        checked={raw === true}
        onChange={({ target }) => onRaw(target.checked)}
      />
    );
  }
  const text = { ...shared, aside, value: String(raw), onChange: change };
  switch (field.kind) {
    case 'choice':
      return (
        <SelectInput {...text}>
          {(!field.isRequired || raw === '') && <option value="">none</option>}
          {field.choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </SelectInput>
      );
    case 'lines':
      return <AreaInput {...text} hint={field.hint ?? 'One per line.'} rows={2} />;
    case 'long':
    case 'json':
      return <AreaInput {...text} rows={4} />;
    default:
      return (
        <Field
          {...text}
          isMono={field.kind === 'text'}
          inputMode={field.kind === 'number' ? 'decimal' : undefined}
          autoComplete="off"
          spellCheck={false}
        />
      );
  }
}

/** A secret that can be replaced and never read. */
function SecretInput({
  field,
  raw,
  problem,
  onRaw,
  control,
  stored,
}: InputProps & { stored: StoredCredential | undefined }) {
  const [isShown, setShown] = useState(false);
  const shared = {
    ...control,
    label: field.label,
    aside: describeAge(field, stored),
    hint: stored ? `Leave empty to keep the stored value. ${field.hint ?? ''}` : field.hint,
    placeholder: describeStored(stored),
    problem,
    value: String(raw),
    onChange: ({ target }: { target: { value: string } }) => onRaw(target.value),
  };
  if (field.kind !== 'long') return <SecretField {...shared} isMono autoComplete="new-password" />;
  return (
    <AreaInput
      {...shared}
      rows={4}
      className={isShown ? '' : 'hidden-text'}
      after={
        <ShowButton label={field.label} isShown={isShown} onToggle={() => setShown(!isShown)} />
      }
    />
  );
}

function describeAge({ isRequired }: SchemaField, stored: StoredCredential | undefined) {
  if (!stored) return isRequired ? undefined : 'optional';
  return stored.changedAt === null ? undefined : `last changed ${ago(stored.changedAt)}`;
}

function describeStored(stored: StoredCredential | undefined): string | undefined {
  if (!stored) return undefined;
  return stored.last4 ? `stored, ends in ${stored.last4}` : 'stored';
}

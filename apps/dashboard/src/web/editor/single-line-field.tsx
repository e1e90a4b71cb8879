import { type ReactNode, useId, useRef } from 'react';
import { toSentence } from '../../api/field-problem';
import type { PublishProblem } from '../../api/problem';
import { checkField, getAt, type SchemaField } from '../integrations/schema-fields';
import styles from './editor.module.css';

type SingleLineFieldProps = {
  field: SchemaField;
  template: Record<string, unknown>;
  problems: PublishProblem[];
  set: (path: string, value: unknown) => void;
};

/** A single-line template input that highlights its placeholders. */
export function SingleLineField({ field, template, problems, set }: SingleLineFieldProps) {
  const id = useId();
  const tint = useRef<HTMLDivElement>(null);
  const value = getAt(template, field.path);
  const text = typeof value === 'string' ? value : '';
  const fieldProblem = problems.find((one) => one.field === field.path);
  const problem = fieldProblem
    ? toSentence(field.label, fieldProblem.problem)
    : text && checkField(field, text);
  return (
    <>
      <label htmlFor={id} title={field.hint}>
        {field.label}
      </label>
      <div className={styles.lineField}>
        <div className={styles.tint} ref={tint} aria-hidden="true">
          {highlightPlaceholders(text)}
        </div>
        <input
          id={id}
          className={problem ? 'input mono bad' : 'input mono'}
          aria-invalid={problem ? true : undefined}
          aria-describedby={problem ? `${id}-hint` : undefined}
          spellCheck
          value={text}
          placeholder={field.hint}
          onScroll={({ currentTarget }) => {
            if (tint.current) tint.current.scrollLeft = currentTarget.scrollLeft;
          }}
          onChange={({ target }) => set(field.path, target.value || undefined)}
        />
        {problem && (
          <div id={`${id}-hint`} className="hint bad">
            {problem}
          </div>
        )}
      </div>
    </>
  );
}

const placeholders = /(\{\{[^{}]*\}\}\}?)/;

function highlightPlaceholders(text: string): ReactNode[] {
  let at = 0;
  return text.split(placeholders).map((part, index) => {
    at += part.length + 1;
    return index % 2 === 1 ? (
      <span key={at} className="hb">
        {part}
      </span>
    ) : (
      part
    );
  });
}

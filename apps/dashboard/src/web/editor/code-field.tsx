import { lazy, Suspense } from 'react';
import type { PublishProblem } from '../../api/problem';
import { useSession } from '../context';
import { bytes } from '../format';
import { getAt, type SchemaField } from '../integrations/schema-fields';
import styles from './code-field.module.css';
import { getCodeLanguage } from './definition';

const CodeMirrorField = lazy(async () => ({
  default: (await import('./code-mirror-field')).CodeMirrorField,
}));

/** Limit of the template language; the server enforces it. */
const maxTemplateBytes = 64 * 1024;

export function CodeField({
  field,
  template,
  problems,
  set,
  paths,
  data,
}: {
  field: SchemaField;
  template: Record<string, unknown>;
  problems: PublishProblem[];
  set: (path: string, value: unknown) => void;
  paths: string[];
  data: Record<string, unknown>;
}) {
  const { mayChange, registry } = useSession();
  const value = getAt(template, field.path);
  const text = typeof value === 'string' ? value : '';
  const size = new TextEncoder().encode(text).length;
  return (
    <div className={styles.field}>
      <div className={`small ${styles.head}`}>
        <span className="faint grow cut">{field.hint}</span>
        <span className={size > maxTemplateBytes ? 'num s-failed' : 'num faint'}>
          {bytes(size)} of {bytes(maxTemplateBytes)}
        </span>
      </div>
      <Suspense fallback={<pre className={styles.waiting}>{text}</pre>}>
        <CodeMirrorField
          label={`${field.label} template`}
          language={getCodeLanguage(field.path) ?? 'text'}
          text={text}
          isReadOnly={!mayChange}
          problems={problems.filter((one) => one.field === field.path)}
          paths={paths}
          data={data}
          helpers={registry.helpers}
          onChange={(next) => set(field.path, next || undefined)}
        />
      </Suspense>
    </div>
  );
}

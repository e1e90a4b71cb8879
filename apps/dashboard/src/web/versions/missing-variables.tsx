import type { Definition } from '../../api/events';
import type { MissingVariable, VariablesAnswer } from '../../api/versions';
import { plural } from '../format';
import { NoteBox } from '../parts/notes';
import styles from './versions.module.css';

/** Warns before publishing about variables that recent calls did not send. */
export function MissingVariables({
  value,
  definition,
}: {
  value: VariablesAnswer | undefined;
  definition: Definition;
}) {
  if (!value) return <Quiet>Comparing with the last requests …</Quiet>;
  if (value.isSensitive) {
    return <Quiet>Sensitive event: the data of calls is encrypted and not compared.</Quiet>;
  }
  if (value.compared === 0) {
    return <Quiet>{describeNoComparison(value)}</Quiet>;
  }
  if (value.missing.length === 0) {
    return (
      <Quiet>
        {describeCompared(value)} contained every value.{describeUnreadable(value)}
      </Quiet>
    );
  }
  return (
    <NoteBox
      tone="amber"
      title={`${plural(value.missing.length, 'value')} missing in recent calls`}
    >
      {definition.missing === 'reject'
        ? 'A message without a value fails as missing_data.'
        : 'A missing value renders as empty.'}
      {describeUnreadable(value)}
      <MissingList value={value} />
    </NoteBox>
  );
}

function Quiet({ children }: { children: React.ReactNode }) {
  return <p className="small dim">{children}</p>;
}

function MissingList({ value }: { value: VariablesAnswer }) {
  return (
    <ul className={styles.missing} aria-label="Missing values">
      {value.missing.map((variable) => (
        <li key={variable.path}>
          <b className="mono">{variable.path}</b> {describeMissing(variable, value)}
          <span className="faint"> · {variable.channels.join(', ')}</span>
        </li>
      ))}
    </ul>
  );
}

function describeMissing({ missingIn }: MissingVariable, { compared }: VariablesAnswer): string {
  if (compared === 1) return 'missing in the last request';
  if (missingIn === compared) return `missing in all of the last ${compared} requests`;
  return `missing in ${missingIn} of the last ${compared} requests`;
}

function describeCompared({ compared }: VariablesAnswer): string {
  return compared === 1 ? 'The last request' : `The last ${compared} requests`;
}

function describeUnreadable({ unreadable }: VariablesAnswer): string {
  return unreadable === 0
    ? ''
    : ` ${plural(unreadable, 'other request')} cannot be compared: the data is encrypted, deleted or too large.`;
}

function describeNoComparison({ unreadable, maxCompared }: VariablesAnswer): string {
  return unreadable === 0
    ? `No requests yet. Later, this compares the values with the last ${maxCompared} requests.`
    : `The last ${plural(unreadable, 'request')} cannot be compared: the data is encrypted, deleted or too large.`;
}

import type { Definition, EventAnswer, MissingVariable, VariablesAnswer } from '../../api/events';
import { useAnswer, useApp } from '../context';
import { plural } from '../format';
import { NoteBox } from '../parts/notes';

/** Before it is live: which of its variables callers did not send lately. It warns, and keeps nobody from publishing. */
export function MissingVariables({
  event,
  definition,
  name,
}: {
  event: EventAnswer;
  definition: Definition;
  /** Of what is looked at: a revision of the draft, or a version. */
  name: string;
}) {
  const app = useApp();
  const answer = useAnswer(`variables ${event.id} ${name}`, (api) =>
    api.compareVariables(app.id, event.id, definition),
  );
  const { value } = answer;
  if (!value) return null;
  if (value.isSensitive) {
    return <Quiet>A sensitive event: what callers sent is sealed, and not compared.</Quiet>;
  }
  if (value.compared === 0) {
    return <Quiet>{nothingWords(value)}</Quiet>;
  }
  if (value.missing.length === 0) {
    return (
      <Quiet>
        {lastWords(value)} carried every variable.{restWords(value)}
      </Quiet>
    );
  }
  return (
    <NoteBox
      tone="amber"
      title={`${plural(value.missing.length, 'variable')} that callers did not always send`}
    >
      {definition.missing === 'reject'
        ? 'A message without them fails as missing_data.'
        : 'They print nothing where they are missing.'}
      {restWords(value)}
      <MissingList value={value} />
    </NoteBox>
  );
}

function Quiet({ children }: { children: React.ReactNode }) {
  return <p className="small dim">{children}</p>;
}

function MissingList({ value }: { value: VariablesAnswer }) {
  return (
    <ul className="missing-variables" aria-label="Missing variables">
      {value.missing.map((variable) => (
        <li key={variable.path}>
          <b className="mono">{variable.path}</b> {missingWords(variable, value)}
          <span className="faint"> · {variable.channels.join(', ')}</span>
        </li>
      ))}
    </ul>
  );
}

function missingWords({ missingIn }: MissingVariable, { compared }: VariablesAnswer): string {
  if (compared === 1) return 'missing in the last request';
  if (missingIn === compared) return `in none of the last ${compared} requests`;
  return `missing in ${missingIn} of the last ${compared} requests`;
}

function lastWords({ compared }: VariablesAnswer): string {
  return compared === 1 ? 'The last request' : `The last ${compared} requests`;
}

function restWords({ unreadable }: VariablesAnswer): string {
  return unreadable === 0
    ? ''
    : ` What ${plural(unreadable, 'other request')} said is sealed, gone, or too large to compare.`;
}

function nothingWords({ unreadable, maxCompared }: VariablesAnswer): string {
  return unreadable === 0
    ? `No request yet: from the first one on, the last ${maxCompared} are compared with what its templates read.`
    : `What the last ${plural(unreadable, 'request')} said is sealed, gone, or too large to compare.`;
}

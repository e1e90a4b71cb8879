import type { Connection } from '../../api/session';
import { Bell } from '../parts/icons';
import { NoteBox } from '../parts/notes';
import { Mark } from '../parts/state-mark';

export function Tower() {
  return <Bell className="tower" />;
}

export function RunningFacts({ connection }: { connection: Connection }) {
  return (
    <>
      <h2 className="sect">What is running</h2>
      <dl className="facts-list">
        <dt>Version</dt>
        <dd>{connection.version}</dd>
        <dt>Gateway</dt>
        <dd className="mono">{connection.gatewayUrl}</dd>
        <dt>Connection</dt>
        <dd>{connection.kind === 'https' ? 'HTTPS' : 'plain HTTP, on this machine'}</dd>
      </dl>
      {connection.kind === 'plain' && (
        <NoteBox tone="plain">
          The session’s cookie is not marked Secure here. Beyond this machine Belfry asks for HTTPS.
        </NoteBox>
      )}
    </>
  );
}

const steps = [
  ['Make the first operator', 'An owner. Editors and viewers can be invited later.'],
  ['Send the first event', 'One curl, ready to paste, with your key in it.'],
  ['See it on every channel', 'The log shows each message, and what the provider said.'],
  ['Add a real provider', 'When you are ready. Until then the sandbox answers for all of them.'],
] as const;

export function NextSteps() {
  return (
    <>
      <h2 className="sect">What comes next</h2>
      <ol className="steps">
        {steps.map(([title, text], index) => (
          <li key={title}>
            <Mark name={index === 0 ? 'sending' : 'queued'} />
            <div>
              <b>{title}</b>
              <p>{text}</p>
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}

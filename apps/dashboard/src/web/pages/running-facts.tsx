import type { Connection } from '../../api/session';
import { Bell } from '../parts/icons';
import { NoteBox } from '../parts/notes';
import { Mark } from '../parts/state-mark';
import styles from './set-up.module.css';

export function Tower() {
  return <Bell className="tower" />;
}

export function RunningFacts({ connection }: { connection: Connection }) {
  return (
    <>
      <h2 className="sect">System</h2>
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
          Over plain HTTP the session cookie is not marked Secure. From other machines Belfry
          requires HTTPS.
        </NoteBox>
      )}
    </>
  );
}

const steps = [
  ['Create the first operator', 'An owner. You can invite editors and viewers later.'],
  ['Send the first event', 'One curl command with your key, ready to paste.'],
  ['See it on every channel', 'The log shows each message and the provider response.'],
  ['Add a real provider', 'When you are ready. Until then the sandbox captures every message.'],
] as const;

export function NextSteps() {
  return (
    <>
      <h2 className="sect">Next steps</h2>
      <ol className={styles.steps}>
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

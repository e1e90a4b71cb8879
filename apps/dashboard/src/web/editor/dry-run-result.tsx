import type { DryRunAnswer, DryRunMessage } from '../../api/test-send';
import { formatFull } from '../dates';
import { JsonBlock } from '../parts/code';
import { ChannelOutcome } from './channel-outcome';
import styles from './editor.module.css';

const verdicts = {
  send: { mark: 'sent', text: 'would be sent' },
  wait: { mark: 'queued', text: 'would wait' },
  skip: { mark: 'skipped', text: 'would be skipped' },
  fail: { mark: 'failed', text: 'would fail' },
} as const;

/** The result of a test send on each channel, and the request of the provider. */
export function DryRunResult({ dryRun: { messages, delivery } }: { dryRun: DryRunAnswer }) {
  return (
    <section className={styles.outcomes} aria-label="Dry run" role="status">
      <p className="small">
        Dry run to {delivery === 'live' ? 'the providers' : 'the sandbox'}. Nothing was stored or
        sent.
      </p>
      <ul>
        {messages.map((message) => (
          <DryRunRow key={`${message.channel} ${message.target}`} message={message} />
        ))}
      </ul>
    </section>
  );
}

function DryRunRow({ message }: { message: DryRunMessage }) {
  const { channel, would, reason, what, remedy, target, dueAt, warnings, request } = message;
  const via = [message.integration, message.provider].filter(Boolean).join(', ');
  const after = [via && `through ${via}`, dueAt !== null && `at ${formatFull(dueAt)}`];
  return (
    <ChannelOutcome
      channel={channel}
      {...verdicts[would]}
      reason={reason}
      target={target}
      after={after.filter(Boolean).join(', ')}
      explanation={what === null ? null : { what, remedy }}
    >
      {warnings.map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
      {request !== null && (
        <details className="payload">
          <summary>Provider request for {channel}</summary>
          <JsonBlock title={`Provider request for ${channel}`} value={request} />
        </details>
      )}
    </ChannelOutcome>
  );
}

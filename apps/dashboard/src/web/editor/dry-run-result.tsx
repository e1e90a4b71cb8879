import type { DryRunAnswer, DryRunMessage } from '../../api/test-send';
import { moment } from '../format';
import { JsonBlock } from '../parts/code';
import { channelIcon, Icon } from '../parts/icons';
import { State } from '../parts/state-mark';
import { ExplanationText } from '../request/explanation-text';

const verdicts = {
  send: { mark: 'sent', text: 'would be sent' },
  skip: { mark: 'skipped', text: 'would be skipped' },
  fail: { mark: 'failed', text: 'would fail' },
} as const;

/** The result of a test send on each channel, and the request of the provider. */
export function DryRunResult({ dryRun: { messages, delivery } }: { dryRun: DryRunAnswer }) {
  return (
    <section className="dry-run" aria-label="Dry run" role="status">
      <p className="small">
        Dry run to {delivery === 'live' ? 'the providers' : 'the sandbox'}. Nothing was stored or
        sent.
      </p>
      {messages.map((message) => (
        <DryRunRow key={`${message.channel} ${message.target}`} message={message} />
      ))}
    </section>
  );
}

function DryRunRow({ message }: { message: DryRunMessage }) {
  const { channel, would, reason, what, remedy, target, dueAt, warnings, request } = message;
  const { mark, text } = verdicts[would];
  const via = [message.integration, message.provider].filter(Boolean).join(', ');
  return (
    <div>
      <p>
        <span className="state">
          <Icon name={channelIcon(channel)} size={14} /> <b>{channel}</b>
        </span>{' '}
        <State name={mark}>
          {text} {reason && <code>{reason}</code>}
        </State>{' '}
        {target && <span className="mono">{target}</span>} {via && `by ${via}`}
        {dueAt !== null && `, at ${moment(dueAt, Date.now())}`}
      </p>
      {what && <ExplanationText explanation={{ what, remedy }} />}
      {warnings.map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
      {request !== null && (
        <details className="payload">
          <summary>Request of {channel}</summary>
          <JsonBlock title={`Request of ${channel}`} value={request} />
        </details>
      )}
    </div>
  );
}

import { useId } from 'react';
import type { Policy } from '../../api/events';
import { useSession } from '../context';
import { Field, FieldFoot, FieldHead } from '../parts/field';
import { withPolicy } from './definition';
import type { Draft } from './use-draft';

const hourMs = 3_600_000;
const choices = ['resend', 'resend_next', 'hold'] as const satisfies Policy['onUnknown'][];

export function PolicyForm({ channel, draft }: { channel: string; draft: Draft }) {
  const id = useId();
  const { definition } = draft;
  const policy = definition.channels[channel]?.policy;
  if (!policy) return null;
  const replace = (next: Policy) => draft.set(withPolicy(definition, channel, next));
  const set = (change: Partial<Policy>) => replace({ ...policy, ...change });
  return (
    <div className="pad form policy">
      <Field
        label="Attempts"
        type="number"
        min={1}
        value={policy.attempts}
        hint="Maximum provider calls, with increasing waits between them."
        onChange={({ target }) => set({ attempts: Number(target.value) })}
      />
      <Field
        label="Time to live"
        aside="hours"
        type="number"
        min={0}
        step="any"
        value={policy.timeToLiveMs / hourMs}
        hint="Counted from the due time. A message not sent by then fails as expired."
        onChange={({ target }) => set({ timeToLiveMs: Math.round(Number(target.value) * hourMs) })}
      />
      <div className="field">
        <FieldHead id={id} label="After an unknown outcome" />
        <select
          id={id}
          className="input"
          value={policy.onUnknown}
          onChange={({ target }) =>
            set({ onUnknown: choices.find((each) => each === target.value) ?? 'hold' })
          }
        >
          <option value="resend">Resend it; it may arrive twice</option>
          <option value="resend_next">
            Resend it through the next integration; it may arrive twice
          </option>
          <option value="hold">Keep it as unknown for an operator to decide</option>
        </select>
        <FieldFoot
          id={id}
          hint="For example, the connection broke after the provider received the message."
        />
      </div>
      {policy.onUnknown !== 'hold' && (
        <UnknownResends channel={channel} policy={policy} onChange={replace} />
      )}
    </div>
  );
}

function UnknownResends({
  channel,
  policy,
  onChange,
}: {
  channel: string;
  policy: Policy;
  onChange: (policy: Policy) => void;
}) {
  const { registry } = useSession();
  const form = registry.channels.find((one) => one.channel === channel);
  const { unknownResends, ...byChannel } = policy;
  const own = form?.unknownResends ?? 0;
  return (
    <Field
      label="Maximum resends after an unknown outcome"
      aside="times"
      type="number"
      min={0}
      max={10}
      placeholder={String(own)}
      value={unknownResends ?? ''}
      hint={`Leave empty for the default of ${channel}: ${own}.`}
      onChange={({ target }) =>
        onChange(
          target.value === '' ? byChannel : { ...policy, unknownResends: Number(target.value) },
        )
      }
    />
  );
}

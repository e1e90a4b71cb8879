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
        hint="At most this many calls to a provider, with longer and longer waits between them."
        onChange={({ target }) => set({ attempts: Number(target.value) })}
      />
      <Field
        label="Time to live"
        aside="hours"
        type="number"
        min={0}
        step="any"
        value={policy.timeToLiveMs / hourMs}
        hint="From when it is due. A message that could not be sent by then fails as expired."
        onChange={({ target }) => set({ timeToLiveMs: Math.round(Number(target.value) * hourMs) })}
      />
      <div className="field">
        <FieldHead id={id} label="When nobody can know whether it was sent" />
        <select
          id={id}
          className="input"
          value={policy.onUnknown}
          onChange={({ target }) =>
            set({ onUnknown: choices.find((each) => each === target.value) ?? 'hold' })
          }
        >
          <option value="resend">send it again, it may arrive twice</option>
          <option value="resend_next">
            send it again by the next integration, it may arrive twice
          </option>
          <option value="hold">hold it as unknown, for a person to decide</option>
        </select>
        <FieldFoot
          id={id}
          hint="As when the connection broke after the provider had the message."
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
      label="Sent again after an unknown outcome, at most"
      aside="times"
      type="number"
      min={0}
      max={10}
      placeholder={String(own)}
      value={unknownResends ?? ''}
      hint={`Empty: as often as ${channel} does by itself, ${own}.`}
      onChange={({ target }) =>
        onChange(
          target.value === '' ? byChannel : { ...policy, unknownResends: Number(target.value) },
        )
      }
    />
  );
}

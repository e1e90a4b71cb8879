import type { Policy } from '../../api/events';
import { useSession } from '../context';
import type { SchemaField } from '../integrations/schema-fields';
import { DraftField } from '../integrations/schema-form';
import { SelectInput } from '../parts/field';
import { withPolicy } from './definition';
import styles from './editor.module.css';
import type { Draft } from './use-draft';

const hourMs = 3_600_000;
const choices = ['resend', 'resend_next', 'hold'] as const satisfies Policy['onUnknown'][];

/** A number of the policy. The server has the same limits. */
const createField = (
  path: keyof Policy,
  label: string,
  { hint, ...schema }: SchemaField['schema'] & { hint: string },
): SchemaField => ({ path, label, hint, kind: 'number', isRequired: true, choices: [], schema });

const attempts = createField('attempts', 'Attempts', {
  type: 'integer',
  minimum: 1,
  maximum: 50,
  hint: 'Maximum provider calls, with increasing waits between them.',
});
const timeToLive = createField('timeToLiveMs', 'Time to live in hours', {
  minimum: 1_000 / hourMs,
  maximum: 30 * 24,
  hint: 'Counted from the due time. A message not sent by then fails as expired.',
});

export function PolicyForm({ channel, draft }: { channel: string; draft: Draft }) {
  const { definition } = draft;
  const policy = definition.channels[channel]?.policy;
  if (!policy) return null;
  const replace = (next: Policy) => draft.set(withPolicy(definition, channel, next));
  const set = (change: Partial<Policy>) => replace({ ...policy, ...change });
  return (
    <div className={`pad form ${styles.policy}`}>
      <DraftField
        field={attempts}
        value={policy.attempts}
        onChange={(value) => set({ attempts: Number(value) })}
      />
      <DraftField
        field={timeToLive}
        value={policy.timeToLiveMs / hourMs}
        onChange={(value) => set({ timeToLiveMs: Math.round(Number(value) * hourMs) })}
      />
      <SelectInput
        label="After an unknown outcome"
        value={policy.onUnknown}
        hint="For example, the connection broke after the provider received the message."
        onChange={({ target }) =>
          set({ onUnknown: choices.find((each) => each === target.value) ?? 'hold' })
        }
      >
        <option value="resend">Resend it; it may arrive twice</option>
        <option value="resend_next">
          Resend it through the next integration; it may arrive twice
        </option>
        <option value="hold">Keep it as unknown for an operator to decide</option>
      </SelectInput>
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
  const field = createField('unknownResends', 'Maximum resends after an unknown outcome', {
    type: 'integer',
    minimum: 0,
    maximum: 10,
    hint: `Leave empty for the default of ${channel}: ${form?.unknownResends ?? 0}.`,
  });
  return (
    <DraftField
      field={{ ...field, isRequired: false }}
      value={unknownResends}
      onChange={(value) =>
        onChange(value === undefined ? byChannel : { ...policy, unknownResends: Number(value) })
      }
    />
  );
}

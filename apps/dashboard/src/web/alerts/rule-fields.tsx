import { type AlertKind, alertKindNames, getAlertKind, getOwn } from '@belfry/shared';
import type { IntegrationAnswer } from '../../api/integrations';
import { useSession } from '../context';
import { Field, SelectInput } from '../parts/field';
import { TextField, useField } from '../parts/form';
import { checkNumber } from './rule-values';

type Option = { value: string; text: string };

/** The fields of an alert rule, by the definition of its kind. */
export function RuleFields({
  kind,
  integrations,
  targets,
}: {
  kind: AlertKind;
  integrations: readonly IntegrationAnswer[];
  /** The chosen integrations. */
  targets: { sendBy: string; fallback: string };
}) {
  const { means, params } = getAlertKind(kind);
  const kinds = alertKindNames.map((name) => ({ value: name, text: getAlertKind(name).label }));
  return (
    <>
      <ChoiceField name="kind" label="Kind" options={kinds} hint={means} />
      <WatchedField kind={kind} integrations={integrations} />
      {Object.keys(params).map((name) => (
        <NumberField key={`${kind}.${name}`} kind={kind} name={name} />
      ))}
      <TargetFields
        name="sendBy"
        label="Send by"
        none="Nobody: only show it here"
        chosen={targets.sendBy}
        integrations={integrations}
      />
      {targets.sendBy !== '' && (
        <TargetFields
          name="fallback"
          label="If that one fails, send by"
          none="Nobody"
          chosen={targets.fallback}
          integrations={integrations}
        />
      )}
    </>
  );
}

function WatchedField({
  kind,
  integrations,
}: {
  kind: AlertKind;
  integrations: readonly IntegrationAnswer[];
}) {
  const { registry } = useSession();
  const channels = registry.channels.map(({ channel, label }) => ({ value: channel, text: label }));
  const watched = integrations.map(({ id, name }) => ({ value: id, text: name }));
  return getAlertKind(kind).scope === 'channel' ? (
    <ChoiceField
      name="channel"
      label="Channel"
      options={[{ value: '', text: 'All channels' }, ...channels]}
    />
  ) : (
    <ChoiceField
      name="integrationId"
      label="Integration"
      options={[{ value: '', text: 'All integrations' }, ...watched]}
    />
  );
}

function NumberField({ kind, name }: { kind: AlertKind; name: string }) {
  const param = getAlertKind(kind).params[name];
  const label = param?.label ?? name;
  const { field, set, problem } = useField<string>(`params.${name}.${kind}`, label, (text) =>
    checkNumber(kind, name, text),
  );
  return (
    <Field
      {...field}
      label={label}
      aside={param?.unit}
      inputMode="numeric"
      autoComplete="off"
      problem={problem}
      onChange={({ target }) => set(target.value)}
    />
  );
}

function TargetFields({
  name,
  label,
  none,
  chosen,
  integrations,
}: {
  name: 'sendBy' | 'fallback';
  label: string;
  none: string;
  chosen: string;
  integrations: readonly IntegrationAnswer[];
}) {
  const senders = integrations.filter(({ channel }) => ['email', 'slack'].includes(channel));
  const channel = senders.find(({ id }) => id === chosen)?.channel;
  const recipientField = channel === undefined ? undefined : getOwn(recipientFields, channel);
  const options = senders.map((each) => ({
    value: each.id,
    text: `${each.name} (${each.channel})`,
  }));
  return (
    <>
      <ChoiceField
        name={`${name}.integrationId`}
        label={label}
        options={[{ value: '', text: none }, ...options]}
        hint={senders.length === 0 ? 'Create an integration of e-mail or Slack first.' : undefined}
      />
      {recipientField && <TextField name={`${name}.to`} autoComplete="off" {...recipientField} />}
    </>
  );
}

type RecipientField = { label: string; aside: string; required: string; isMono?: boolean };

const recipientFields: Record<string, RecipientField> = {
  email: {
    label: 'To',
    aside: 'up to 10 addresses, separated by commas',
    required: 'Enter an e-mail address.',
  },
  slack: {
    label: 'Slack channel',
    aside: 'its ID, such as C0123456789',
    required: 'Enter the ID of a channel.',
    isMono: true,
  },
};

function ChoiceField({
  name,
  label,
  options,
  hint,
}: {
  name: string;
  label: string;
  options: readonly Option[];
  hint?: string | undefined;
}) {
  const { field, set, problem } = useField<string>(name, label);
  const isListed = options.some(({ value }) => value === field.value);
  const removed = { value: field.value, text: 'a removed integration' };
  return (
    <SelectInput
      {...field}
      label={label}
      hint={hint}
      problem={problem}
      onChange={({ target }) => set(target.value)}
    >
      {(isListed ? options : [...options, removed]).map(({ value, text }) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </SelectInput>
  );
}

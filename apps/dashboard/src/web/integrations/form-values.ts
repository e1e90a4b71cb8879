import type { IntegrationAnswer } from '../../api/integrations';
import type { ChannelForm, ProviderForm } from '../../api/registry';
import {
  fromRaws,
  getAt,
  getDefaults,
  isMade,
  listSchemaFields,
  type Raw,
  type SchemaField,
  setAt,
  showsValue,
  toRaws,
  type Values,
} from './schema-fields';

export type ProviderSelection = { channel: ChannelForm; provider: ProviderForm };

type FormFields = { settings: SchemaField[]; credentials: SchemaField[] };

export function listFormFields({ settings, credentials }: ProviderForm): FormFields {
  return { settings: listSchemaFields(settings), credentials: listSchemaFields(credentials) };
}

/** Inputs by path. */
export type FormValues = { name: string; settings: Values; credentials: Values };

/** Secrets are empty: the server does not send them. */
export function getInitialValues(
  { settings, credentials }: FormFields,
  stored: IntegrationAnswer | undefined,
): FormValues {
  return {
    name: stored?.name ?? '',
    settings: toRaws(settings, stored?.settings ?? getDefaults(settings)),
    credentials: toRaws(
      credentials,
      stored ? listShownValues(stored.credentials) : getDefaults(credentials),
    ),
  };
}

function listShownValues(credentials: IntegrationAnswer['credentials']): Values {
  const entries = Object.entries(credentials).map(([path, { value }]) => [path, value]);
  return Object.fromEntries(entries);
}

function listEntered({ credentials }: FormFields, stored: IntegrationAnswer | undefined) {
  return stored ? credentials.filter((field) => !isMade(field)) : credentials;
}

/** Credentials that did not change, or that have their own button, are left out, so that the server keeps them; null removes one that was cleared. */
export function buildBody(
  fields: FormFields,
  { name, settings, credentials }: FormValues,
  stored: IntegrationAnswer | undefined,
) {
  let entered: Values = {};
  for (const field of listEntered(fields, stored)) {
    // The inputs of a form hold texts and states of checkboxes.
    const raw = getAt(credentials, field.path) as Raw;
    const shown = showsValue(field) ? (stored?.credentials[field.path]?.value ?? '') : '';
    if (raw !== shown) entered = setAt(entered, field.path, raw === '' ? null : raw);
  }
  return { name, settings: fromRaws(fields.settings, settings), credentials: entered };
}

/** Whether a connection test of both would be the same: the name plays no part in it. */
export function isSameTest(fields: FormFields, left: FormValues, right: FormValues): boolean {
  const toText = (values: FormValues) =>
    JSON.stringify(buildBody(fields, { ...values, name: '' }, undefined));
  return toText(left) === toText(right);
}

import type { AnyChannel, IntegrationInput, Provider } from '@belfry/channels';
import type { FieldProblem } from '@belfry/shared';
import type { TObject } from '@sinclair/typebox';
import { findProblems } from './find-problems';

export function findProvider(
  channels: Record<string, AnyChannel>,
  { channel, provider }: { channel: string; provider: string },
): Provider<unknown> | undefined {
  const definition = Object.hasOwn(channels, channel) ? channels[channel] : undefined;
  return definition && Object.hasOwn(definition.providers, provider)
    ? definition.providers[provider]
    : undefined;
}

/** Fills omitted required settings: the stored value, else the default of the provider's schema. */
export function completeSettings(
  { settings: { required = [], properties } }: Provider<unknown>,
  input: Record<string, unknown>,
  stored: Record<string, unknown> = {},
): Record<string, unknown> {
  const entries = required.map((name) => [name, stored[name] ?? properties[name]?.['default']]);
  const definedEntries = entries.filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(definedEntries), ...input };
}

/** Problems that the schemas and the provider's own check find, by form field. */
export function checkIntegration(
  provider: Provider<unknown>,
  input: IntegrationInput,
): FieldProblem[] {
  const schemaProblems = [
    ...findUnknownFields(provider.settings, input.settings, 'settings'),
    ...findUnknownFields(provider.credentials, input.credentials, 'credentials'),
    ...findProblems(provider.settings, input.settings, 'settings'),
    ...findProblems(provider.credentials, input.credentials, 'credentials'),
  ];
  // The provider's check relies on schema-valid fields.
  return schemaProblems.length > 0
    ? schemaProblems
    : provider.check(input).map((text) => toFieldProblem(text, provider));
}

/** Reports unknown fields: a misspelt field would be stored and never read. */
function findUnknownFields(
  schema: TObject,
  values: Record<string, unknown>,
  at: string,
): FieldProblem[] {
  return Object.keys(values)
    .filter((name) => !Object.hasOwn(schema.properties, name))
    .map((name) => ({ path: `${at}.${name}`, problem: 'is not a field of this provider' }));
}

/** Parses "<field> <problem>"; the field belongs to the settings or the credentials. */
function toFieldProblem(text: string, { settings, credentials }: Provider<unknown>): FieldProblem {
  const [field = '', ...words] = text.split(' ');
  const [top = ''] = field.split('.');
  const problem = words.join(' ');
  if (Object.hasOwn(settings.properties, top)) return { path: `settings.${field}`, problem };
  if (Object.hasOwn(credentials.properties, top)) return { path: `credentials.${field}`, problem };
  return { path: 'settings', problem: text };
}

import type { AnyChannel, IntegrationInput } from '@belfry/channels';
import { AppError, createValidator, type Validate } from '@belfry/shared';
import type { TObject } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { ProviderList } from '../api-types/integrations';

export type Channels = Record<string, AnyChannel>;

export type ProviderPlace = { channel: string; provider: string };

export type ProviderForms = {
  list(): ProviderList;
  /** The values as they are stored, or the AppError of what is wrong with them. */
  check(place: ProviderPlace, given: IntegrationInput): IntegrationInput;
  hasReceipts(place: ProviderPlace): boolean;
};

/** The registry's schemas as forms: what the page shows and what is checked are the same. */
export function createProviderForms(channels: Channels): ProviderForms {
  const checks = new Map<TObject, Validate<unknown>>();

  function validate(schema: TObject, fields: Record<string, unknown>, name: string) {
    const known = checks.get(schema) ?? createValidator(schema);
    checks.set(schema, known);
    const filled = Value.Clean(schema, structuredClone(withoutBlanks(fields)));
    known(filled, [name]);
    // The schema, which it just met, is that of an object.
    return filled as Record<string, unknown>;
  }

  return {
    list: () => listForms(channels),
    check(place, given) {
      const provider = findProvider(channels, place);
      const integration = {
        settings: validate(provider.settings, given.settings, 'settings'),
        credentials: validate(provider.credentials, given.credentials, 'credentials'),
      };
      const [first, ...others] = provider.check(integration);
      if (first === undefined) return integration;
      throw new AppError('validation_failed', first, { errors: [first, ...others] });
    },
    hasReceipts: (place) => findProvider(channels, place).receipts !== undefined,
  };
}

export function findProvider(channels: Channels, { channel, provider }: ProviderPlace) {
  const known = Object.hasOwn(channels, channel) ? channels[channel] : undefined;
  const found =
    known && Object.hasOwn(known.providers, provider) ? known.providers[provider] : undefined;
  if (found) return found;
  throw new AppError('validation_failed', `provider must be one that ${channel} has`, {
    errors: ['provider must be one of GET /api/providers'],
  });
}

function listForms(channels: Channels): ProviderList {
  const providers = Object.entries(channels).flatMap(([channel, { label, isBuiltIn, ...each }]) =>
    Object.entries(each.providers).map(([provider, form], index) => ({
      channel,
      channelLabel: label,
      provider,
      label: form.label,
      settings: form.settings,
      credentials: form.credentials,
      isBuiltIn: isBuiltIn === true && index === 0,
    })),
  );
  return { providers };
}

/** A field that was left empty was not filled in. */
function withoutBlanks(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== ''),
  );
}

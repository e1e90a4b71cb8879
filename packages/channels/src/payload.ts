import type { TObject } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Notes } from './channel';
import { isRecord } from './read-json';

export type Payload = {
  payload?: Record<string, unknown>;
  /** Fields that the call set but that are not sent. */
  notes?: Notes;
};

/**
 * Fields of the call that replace fields of the provider's request, when the message uses the
 * integration that the call names. Only fields that the provider allows, with valid values. The
 * rest is noted and ignored. `override` is JSON.
 */
export function readPayload(
  { override }: { override: string | undefined },
  integrationName: string | undefined,
  allowedSchema: TObject,
): Payload {
  const providerOverride =
    override === undefined ? undefined : findProviderOverride(override, integrationName);
  if (!providerOverride) return {};
  const { payload = {}, ...besides } = providerOverride;
  const fields = isRecord(payload) ? payload : {};
  const fits = ([name, value]: [string, unknown]) => isAllowed(allowedSchema, name, value);
  const allowedFields = Object.entries(fields).filter(fits);
  const ignored = [
    ...Object.keys(fields).filter((name) => !fits([name, fields[name]])),
    ...Object.keys(besides),
  ];
  return {
    ...(allowedFields.length > 0 ? { payload: Object.fromEntries(allowedFields) } : {}),
    ...(ignored.length > 0
      ? { notes: { ignored_override: ignored.slice(0, maxNamed).join(', ') } }
      : {}),
  };
}

const maxNamed = 20;

function findProviderOverride(
  override: string,
  integrationName: string | undefined,
): Record<string, unknown> | undefined {
  const byChannel: unknown = JSON.parse(override);
  const providers = isRecord(byChannel) ? byChannel['providers'] : undefined;
  if (integrationName === undefined || !isRecord(providers)) return undefined;
  const providerOverride = Object.hasOwn(providers, integrationName)
    ? providers[integrationName]
    : undefined;
  return isRecord(providerOverride) ? providerOverride : undefined;
}

function isAllowed({ properties }: TObject, name: string, value: unknown): boolean {
  const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return schema !== undefined && Value.Check(schema, value);
}

import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { findProvider } from './check-integration';
import {
  type Configuration,
  channels,
  type FileIntegration,
  type FileWebhook,
  isReference,
  type Reference,
  type Variables,
} from './configuration';
import { fileNames, getIntegrationFile } from './format-files';

import { isOwnSetting } from './variable-names';

export type ResolvedIntegration = {
  file: FileIntegration;
  settings: Record<string, unknown>;
  /** The credentials whose variables are set. */
  entered: Record<string, string>;
  /** Every reference has its value. */
  isComplete: boolean;
};

/** `url` is undefined if its variable is not set. */
export type ResolvedWebhook = Omit<FileWebhook, 'url'> & { url: string | undefined };

export type ResolveDeps = {
  variables: Variables;
  /** Variables may be missing. */
  isDryRun: boolean;
  report(file: string, problem: string): void;
};

type Resolve = (at: { file: string; field: string }, reference: Reference) => string | undefined;

/** The configuration with the values of environment variables in place of references. */
export function resolveReferences(
  { integrations, webhooks }: Pick<Configuration, 'integrations' | 'webhooks'>,
  deps: ResolveDeps,
): { integrations: ResolvedIntegration[]; webhooks: ResolvedWebhook[] } {
  const resolve = createResolve(deps);
  return {
    integrations: integrations.map((file) => resolveIntegration(file, resolve)),
    webhooks: webhooks.map(({ url, ...webhook }, index) => {
      const at = { file: fileNames.webhooks, field: `${index}.url` };
      return { ...webhook, url: isReference(url) ? resolve(at, url) : url };
    }),
  };
}

function createResolve({ variables, isDryRun, report }: ResolveDeps): Resolve {
  return function resolve({ file, field }, { env }) {
    if (isOwnSetting(env)) {
      report(file, `${field} names ${env}, which is a setting of Belfry itself. Use another name.`);
      return undefined;
    }
    const value = Object.hasOwn(variables, env) ? variables[env] : undefined;
    if (value) return value;
    if (!isDryRun) report(file, `${field} needs the environment variable ${env}, which is not set`);
    return undefined;
  };
}

function resolveIntegration(file: FileIntegration, resolve: Resolve): ResolvedIntegration {
  const path = getIntegrationFile(file.name);
  let isComplete = true;
  const resolveField: ResolveField = (field, reference) => {
    const text = resolve({ file: path, field }, reference);
    isComplete &&= text !== undefined;
    return text;
  };
  const settings = findProvider(channels, file)?.settings;
  const credentials = Object.entries(file.credentials).flatMap(([name, reference]) => {
    const text = resolveField(`credentials.${name}`, reference);
    return text === undefined ? [] : [[name, text]];
  });
  return {
    file,
    settings: resolveMembers(file.settings, { field: 'settings', schema: settings, resolveField }),
    entered: Object.fromEntries(credentials),
    isComplete,
  };
}

type ResolveField = (field: string, reference: Reference) => string | undefined;
type Place = { field: string; schema: TSchema | undefined; resolveField: ResolveField };

function resolveMembers(values: object, { field, schema, resolveField }: Place) {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const place = { field: `${field}.${name}`, schema: getMember(schema, name), resolveField };
      return [name, resolveValue(value, place)];
    }),
  );
}

/** A text is converted to the number or switch that the schema wants. */
function resolveValue(value: unknown, place: Place): unknown {
  if (isReference(value)) {
    const text = place.resolveField(place.field, value);
    return place.schema && text !== undefined ? Value.Convert(place.schema, text) : text;
  }
  return isPlain(value) ? resolveMembers(value, place) : value;
}

function getMember(schema: TSchema | undefined, name: string): TSchema | undefined {
  const properties: Record<string, TSchema> = schema?.['properties'] ?? {};
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The stored value with the references of the file whose variables have the stored value. */
export function keepReferences(stored: unknown, file: unknown, variables: Variables): unknown {
  if (isReference(file)) return variables[file.env] === String(stored) ? file : stored;
  if (!isPlain(stored) || !isPlain(file)) return stored;
  const members = Object.entries(stored).map(([name, value]) => [
    name,
    keepReferences(value, Object.hasOwn(file, name) ? file[name] : undefined, variables),
  ]);
  return Object.fromEntries(members);
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import { type Static, Type } from '@sinclair/typebox';
import type { RouteSpec } from './route-spec';
import { anyObject, createChoice } from './schemas';

/** JSON Schema from the registry. `title` is the label, `description` the hint, `default` the initial value. */
export type JsonSchema = {
  type?: string;
  title?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  format?: string;
  examples?: unknown[];
  [keyword: string]: unknown;
};

const jsonSchema = Type.Unsafe<JsonSchema>(anyObject);

const providerForm = Type.Object({
  provider: Type.String(),
  label: Type.String(),
  settings: jsonSchema,
  /** Write-only. */
  credentials: jsonSchema,
});
export type ProviderForm = Static<typeof providerForm>;

const channelForm = Type.Object({
  channel: Type.String(),
  label: Type.String(),
  /** The channel needs no integration. */
  isBuiltIn: Type.Boolean(),
  /** Template fields in display order. */
  template: jsonSchema,
  /** Default number of resends after an unknown outcome. */
  unknownResends: Type.Integer(),
  providers: Type.Array(providerForm),
});
export type ChannelForm = Static<typeof channelForm>;

const meanings = Type.Record(Type.String(), Type.String());

const registry = Type.Object({
  /** In channel order. */
  channels: Type.Array(channelForm),
  states: Type.Record(
    Type.String(),
    Type.Object({ isFinal: Type.Boolean(), means: Type.String() }),
  ),
  skipReasons: meanings,
  failureReasons: meanings,
  helpers: Type.Array(Type.String()),
  defaultPolicy: Type.Object({
    attempts: Type.Integer(),
    timeToLiveMs: Type.Integer(),
    onUnknown: createChoice(['resend', 'resend_next', 'hold']),
  }),
  /** Behaviour of the sandbox's magic recipients, and their addresses on each channel. */
  magicRecipients: Type.Array(
    Type.Object({
      sentence: Type.String(),
      addresses: Type.Record(Type.String(), Type.String()),
    }),
  ),
});
export type RegistryAnswer = Static<typeof registry>;

export const registryRoutes = {
  /** The schemas of all forms. Changes only with the version of Belfry. */
  'GET /api/registry': { access: 'viewer', answer: registry },
} as const satisfies Record<string, RouteSpec>;

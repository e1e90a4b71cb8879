import type { Policy } from './events';

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

/** GET api/registry: the schemas of all forms. Changes only with the version of Belfry. */
export type RegistryAnswer = {
  channels: ChannelForm[];
  states: Record<string, { isFinal: boolean; means: string }>;
  skipReasons: Record<string, string>;
  failureReasons: Record<string, string>;
  helpers: string[];
  defaultPolicy: { attempts: number; timeToLiveMs: number; onUnknown: Policy['onUnknown'] };
  /** Behaviour of the sandbox's magic recipients, and their addresses on each channel. */
  magicRecipients: { sentence: string; addresses: Record<string, string> }[];
};

/** In channel order. */
export type ChannelForm = {
  channel: string;
  label: string;
  /** The channel needs no integration. */
  isBuiltIn: boolean;
  /** Template fields in display order. */
  template: JsonSchema;
  /** Default number of resends after an unknown outcome. */
  unknownResends: number;
  providers: ProviderForm[];
};

export type ProviderForm = {
  provider: string;
  label: string;
  settings: JsonSchema;
  /** Write-only. */
  credentials: JsonSchema;
};

import type { Policy } from './events';

/** JSON Schema as the registry has it; `title` is the label, `description` the hint, `default` what the form begins with. */
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

/** GET api/registry: what the forms are made of. It changes only with the version of Belfry. */
export type RegistryAnswer = {
  channels: ChannelForm[];
  states: Record<string, { isFinal: boolean; means: string }>;
  skipReasons: Record<string, string>;
  failureReasons: Record<string, string>;
  helpers: string[];
  defaultPolicy: { attempts: number; timeToLiveMs: number; onUnknown: Policy['onUnknown'] };
  /** What the magic recipients of the sandbox do, and how they are written on each channel. */
  magicRecipients: { sentence: string; addresses: Record<string, string> }[];
};

/** In the order of the peal. */
export type ChannelForm = {
  channel: string;
  label: string;
  /** It needs no integration. */
  isBuiltIn: boolean;
  /** The fields of a template, in order. */
  template: JsonSchema;
  /** How often a message is sent again after an unknown outcome, unless the version says otherwise. */
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

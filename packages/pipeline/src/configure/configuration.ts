import { type AnyChannel, channels as registry } from '@belfry/channels';
import type {
  AlertKind,
  AlertParams,
  AppSettings,
  ChannelVersion,
  VersionDefinition,
  WebhookType,
} from '@belfry/shared';

export const channels: Record<string, AnyChannel> = registry;

/** Environment variables by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Names the environment variable that holds a value. */
export type Reference = { env: string };

/**
 * The configuration of an app as its folder has it: references between its parts are names, and secrets are references to
 * environment variables. The app's name and delivery are missing: they say which app it is.
 */
export type Configuration = {
  settings: Omit<AppSettings, 'delivery'>;
  /** In the order of the preference page. */
  categories: FileCategory[];
  integrations: FileIntegration[];
  events: FileEvent[];
  webhooks: FileWebhook[];
  alerts: FileAlert[];
};

export type FileCategory = {
  slug: string;
  texts: Record<string, { name: string; description: string }>;
};

export type FileIntegration = {
  name: string;
  channel: string;
  provider: string;
  /** A value may be a reference. */
  settings: Record<string, unknown>;
  /** The stored credential stays if it is absent here. */
  credentials: Record<string, Reference>;
};

export type FileEvent = {
  name: string;
  fields: Omit<VersionDefinition, 'channels' | 'delivery'>;
  channels: Record<string, FileChannel>;
};

export type FileChannel = Pick<ChannelVersion, 'policy'> & {
  /** Names in failover order. */
  integrations: string[];
  /** Fields by language. */
  templates: Record<string, Record<string, unknown>>;
};

export type FileWebhook = {
  url: string | Reference;
  types: WebhookType[];
  description: string;
  enabled: boolean;
};

export type FileAlert = {
  kind: AlertKind;
  params: AlertParams;
  enabled: boolean;
  channel?: string;
  /** A name, as in the targets. */
  integration?: string;
  sendBy?: FileAlertTarget;
  fallback?: FileAlertTarget;
};

export type FileAlertTarget = { integration: string; to: string[] };

/** `problem` says what is wrong, as in `must be a number`. */
export type FileProblem = { file: string; problem: string };

export function isReference(value: unknown): value is Reference {
  if (typeof value !== 'object' || value === null) return false;
  return 'env' in value && typeof value.env === 'string' && Object.keys(value).length === 1;
}

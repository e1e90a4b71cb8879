/** Delivery policy of a channel in a version. Times in milliseconds. */
export type Policy = {
  /** Maximum number of provider calls, over all integrations of the chain. */
  attempts: number;
  /** Counted from the message's first due time; after it the message is `failed: expired`. */
  timeToLiveMs: number;
  /**
   * After an unknown outcome: resend, marked as a possible duplicate, with the same integration or the next one of the
   * chain; or hold.
   */
  onUnknown: 'resend' | 'resend_next' | 'hold';
  /** Maximum number of resends after an unknown outcome; the channel's default if omitted. */
  unknownResends?: number;
};

/** One channel of a version: its integrations in failover order, and its template in each language. */
export type ChannelVersion = {
  integrationIds: string[];
  /** Provider of each integration, by ID. Not stored: `findVersion` adds it to push, where the target decides the provider. */
  providers?: Record<string, string>;
  templates: Record<string, unknown>;
  policy: Policy;
};

export type EventKind = 'mandatory' | 'optional';

/** The content of an event version; immutable once published. */
export type VersionDefinition = {
  defaultLocale: string;
  /** A placeholder without data: print nothing, or fail the message. */
  missing: 'empty' | 'reject';
  isSensitive: boolean;
  /**
   * Stored preferences and suppressions with the scope `optional` do not stop a mandatory event. Absent in versions published
   * before there were kinds: see `findOptOut`.
   */
  kind?: EventKind;
  /** The slug of a category of the app. */
  category?: string;
  /** Set on a test: every channel goes to the sandbox, even if the app is live. */
  delivery?: 'sandbox';
  channels: Record<string, ChannelVersion>;
};

/** A definition with optional members; completeDefinition fills in defaults. */
export type VersionInput = Partial<Omit<VersionDefinition, 'channels'>> & {
  channels?: Record<string, ChannelInput>;
};

export type ChannelInput = Partial<Omit<ChannelVersion, 'policy'>> & { policy?: Partial<Policy> };

export const emptyDefinition: VersionDefinition = {
  defaultLocale: 'en',
  missing: 'empty',
  isSensitive: false,
  channels: {},
};

/** Fills in the defaults of a new version, draft or test. */
export function completeDefinition({ channels = {}, ...fields }: VersionInput): VersionDefinition {
  const completeChannels = Object.entries(channels).map(([name, channel]) => [
    name,
    completeChannel(channel),
  ]);
  const complete = { ...emptyDefinition, ...fields };
  const kind = complete.isSensitive ? 'mandatory' : 'optional';
  return {
    ...complete,
    kind: complete.kind ?? kind,
    channels: Object.fromEntries(completeChannels),
  };
}

function completeChannel({ policy, ...fields }: ChannelInput): ChannelVersion {
  return { integrationIds: [], templates: {}, ...fields, policy: { ...defaultPolicy, ...policy } };
}

export const defaultPolicy: Policy = {
  attempts: 8,
  timeToLiveMs: 24 * 60 * 60 * 1000,
  onUnknown: 'resend',
};

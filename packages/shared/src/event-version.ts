/** How a channel of a version is tried. Times in milliseconds. */
export type Policy = {
  /** Provider calls at most, all integrations of the chain together. */
  attempts: number;
  /** From the message's first due time; after it the message is `failed: expired`. */
  timeToLiveMs: number;
  /**
   * After an outcome that nobody can know: send again, marked as a possible duplicate, by the same integration or by the
   * next one of the chain; or hold.
   */
  onUnknown: 'resend' | 'resend_next' | 'hold';
  /** How often, at most, a message is sent again after an unknown outcome; the channel's own number where it is left out. */
  unknownResends?: number;
};

/** One channel of a version: its chain of integrations in order, and its template in each language. */
export type ChannelVersion = {
  integrationIds: string[];
  templates: Record<string, unknown>;
  policy: Policy;
};

/** What an event version fixes; immutable once published. */
export type VersionDefinition = {
  defaultLocale: string;
  /** What a path that the data does not hold does to a message: print nothing, or fail it. */
  missing: 'empty' | 'reject';
  isSensitive: boolean;
  /** Of a test: every channel goes to the sandbox, also in an app that is live. */
  delivery?: 'sandbox';
  channels: Record<string, ChannelVersion>;
};

/** A definition as it is written: what is left out is filled by completeDefinition. */
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

/** Whatever a new version, draft or test leaves out has its default. */
export function completeDefinition({ channels = {}, ...fields }: VersionInput): VersionDefinition {
  const completeChannels = Object.entries(channels).map(([name, channel]) => [
    name,
    completeChannel(channel),
  ]);
  return { ...emptyDefinition, ...fields, channels: Object.fromEntries(completeChannels) };
}

function completeChannel({ policy, ...fields }: ChannelInput): ChannelVersion {
  return { integrationIds: [], templates: {}, ...fields, policy: { ...defaultPolicy, ...policy } };
}

export const defaultPolicy: Policy = {
  attempts: 8,
  timeToLiveMs: 24 * 60 * 60 * 1000,
  onUnknown: 'resend',
};

import { type AnyChannel, listMagicRecipients, magicBehaviours } from '@belfry/channels';
import {
  defaultPolicy,
  failureReasons,
  helperNames,
  messageStates,
  skipReasons,
} from '@belfry/shared';
import type { TObject } from '@sinclair/typebox';
import type { ChannelForm, JsonSchema, RegistryAnswer } from '../../api/registry';
import { sortByChannel } from '../channel-order';
import type { Handlers } from '../route';

/** Schemas of the forms, derived only from the channel registry. */
export function createRegistryHandlers({ channels }: { channels: Record<string, AnyChannel> }) {
  const answer: RegistryAnswer = {
    channels: sortByChannel(Object.keys(channels)).flatMap((name) =>
      toChannelForm(name, channels[name]),
    ),
    states: messageStates,
    skipReasons,
    failureReasons,
    helpers: [...helperNames],
    defaultPolicy: {
      attempts: defaultPolicy.attempts,
      timeToLiveMs: defaultPolicy.timeToLiveMs,
      onUnknown: defaultPolicy.onUnknown,
    },
    magicRecipients: Object.entries(magicBehaviours).map(([word, { sentence }]) => ({
      sentence,
      addresses: listMagicRecipients(word, channels),
    })),
  };
  return { 'GET /api/registry': async () => answer } satisfies Partial<Handlers>;
}

function toChannelForm(name: string, channel: AnyChannel | undefined): ChannelForm[] {
  if (!channel) return [];
  return [
    {
      channel: name,
      label: channel.label,
      isBuiltIn: channel.isBuiltIn === true,
      template: toPlainSchema(channel.template),
      unknownResends: channel.unknownResends,
      providers: Object.entries(channel.providers).map(
        ([provider, { label, settings, credentials }]) => ({
          provider,
          label,
          settings: toPlainSchema(settings),
          credentials: toPlainSchema(credentials),
        }),
      ),
    },
  ];
}

/** TypeBox schemas are JSON Schema plus symbols, which JSON drops. */
function toPlainSchema(schema: TObject): JsonSchema {
  return JSON.parse(JSON.stringify(schema));
}

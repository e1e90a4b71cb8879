import { channels } from '@belfry/channels';

/**
 * Loaded before a worker (`node --require`): its SMS go to a provider in its own process, which accepts everything at
 * once. What is left is what Belfry itself costs.
 */
Object.assign(channels.sms.providers, {
  twilio: {
    ...channels.sms.providers['twilio'],
    createSender: () => ({
      send: async () => ({ outcome: { outcome: 'accepted', providerMessageId: 'inside' } }),
      test: async () => ({ isWorking: true, detail: '' }),
      close: async () => undefined,
    }),
  },
});

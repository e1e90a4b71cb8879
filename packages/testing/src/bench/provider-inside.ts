import { channels } from '@belfry/channels';

/**
 * Loaded before a worker (`node --require`): a provider in the worker's own process accepts its SMS
 * at once. The rest is the cost of Belfry itself.
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

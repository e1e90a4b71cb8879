import { Type } from '@sinclair/typebox';
import type { Provider } from '../channel';
import type { InAppContent } from './template';

/**
 * The inbox that Belfry keeps itself. Nothing leaves the process: the item is stored by the statement that records
 * the attempt, once a message, so a delivery that is repeated changes nothing.
 */
export const inbox: Provider<InAppContent> = {
  label: 'Belfry inbox',
  settings: Type.Object({}),
  credentials: Type.Object({}),
  payload: Type.Object({}),
  check: () => [],
  describe: ({ target, content }) => ({
    operation: 'inbox',
    body: { user_id: target, ...content },
  }),
  createSender: () => ({
    send: async ({ messageId, content }) => ({
      outcome: { outcome: 'accepted', providerMessageId: messageId, isDelivered: true },
      inboxItem: { ...content },
    }),
    test: async () => ({
      isWorking: true,
      detail: 'The inbox is built in: nothing can be refused.',
    }),
    close: async () => undefined,
  }),
};

import { Type } from '@sinclair/typebox';
import type { Provider } from '../channel';
import type { InAppContent } from './template';

/**
 * The inbox kept by Belfry itself. Nothing leaves the process. The statement that records the
 * attempt stores the item once per message, so a repeated delivery changes nothing.
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
      detail: 'The inbox is built in and needs no test.',
    }),
    close: async () => undefined,
  }),
};

import type { Actor } from '@belfry/database';
import type { ItemTimeline, ResendInput, ResendResult } from '@belfry/pipeline/operate';
import { notFound, Refusal } from '../problem';
import { type Handlers, readId } from '../route';
import { buildTimeline } from '../timeline';

export type RequestHandlersDeps = {
  readTimeline(address: {
    appId: string;
    requestId: string;
    item: number;
  }): Promise<ItemTimeline | undefined>;
  /** The output of `belfry doctor` for a request of this app. */
  explain(appId: string, requestId: string): Promise<string[] | undefined>;
  resend(actor: Actor, input: ResendInput): Promise<ResendResult>;
  /** False if the message is no longer queued. */
  cancelMessage(actor: Actor, message: { messageId: string; appId: string }): Promise<boolean>;
  hasMessage(appId: string, messageId: string): Promise<boolean>;
  now: () => Date;
};

const maxItem = 1_000_000;

/** One request with its timeline, and the actions on its messages. */
export function createRequestHandlers(deps: RequestHandlersDeps) {
  return {
    async 'GET /api/apps/:appId/requests/:requestId'({ app, path, query }) {
      const requestId = readId(path.requestId, 'request');
      const item = readItem(query.item);
      const timeline = await deps.readTimeline({ appId: app.id, requestId, item });
      if (!timeline || item >= timeline.head.items) throw notFound('request');
      return buildTimeline(timeline, { item, readAt: deps.now() });
    },

    async 'GET /api/apps/:appId/requests/:requestId/explanation'({ app, path }) {
      const requestId = readId(path.requestId, 'request');
      const sentences = await deps.explain(app.id, requestId);
      if (!sentences) throw notFound('request');
      return { sentences, command: `belfry doctor ${requestId}`, readAt: deps.now().getTime() };
    },

    async 'POST /api/apps/:appId/messages/:messageId/resend'({ actor, app, path, body }) {
      const messageId = readId(path.messageId, 'message');
      const { confirm, confirmedState } = body;
      const input = { appId: app.id, messageId, isConfirmed: confirm === true, confirmedState };
      const resent = await deps.resend(actor, input);
      switch (resent.state) {
        case 'resent':
          return {
            messageId: resent.messageId,
            requestId: resent.requestId,
            generation: resent.generation,
          };
        case 'not_found':
          throw notFound('message');
        case 'refused':
          throw new Refusal('wrong_state', resent.because);
        case 'needs_confirmation':
          throw new Refusal('needs_confirmation', resent.warning);
      }
    },

    async 'POST /api/apps/:appId/messages/:messageId/cancel'({ actor, app, path }) {
      const message = { messageId: readId(path.messageId, 'message'), appId: app.id };
      if (await deps.cancelMessage(actor, message)) return { success: true };
      if (!(await deps.hasMessage(message.appId, message.messageId))) throw notFound('message');
      throw new Refusal(
        'wrong_state',
        'The message is no longer queued, so it cannot be cancelled.',
      );
    },
  } satisfies Partial<Handlers>;
}

function readItem(text: string | undefined): number {
  if (text === undefined) return 0;
  const item = Number(text);
  if (/^\d{1,7}$/.test(text) && item < maxItem) return item;
  throw notFound('item');
}

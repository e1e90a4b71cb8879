import type { Resend } from '@belfry/accepting';
import type { Actor, Story } from '@belfry/database';
import { Type } from '@sinclair/typebox';
import type { ExplanationAnswer, RequestAnswer, ResendAnswer } from '../../api/requests';
import { notFound, Refusal } from '../problem';
import { confirmSchema, readBody } from '../read-body';
import { idOf, queryText, type Routes } from '../route';
import { tellStory } from '../story';

export type RequestRoutesDeps = {
  readStory(address: {
    appId: string;
    requestId: string;
    item: number;
  }): Promise<Story | undefined>;
  /** The sentences of `belfry doctor`, of a request of this app only. */
  explain(appId: string, requestId: string): Promise<string[] | undefined>;
  resend: Resend;
  /** False when the message no longer waits. */
  cancelMessage(actor: Actor, message: { messageId: string; appId: string }): Promise<boolean>;
  hasMessage(appId: string, messageId: string): Promise<boolean>;
  now: () => Date;
};

const resendBody = Type.Object({ confirm: confirmSchema });
const maxItem = 1_000_000;

/** One request with all that is on record of it, and what may be done about its messages. */
export function createRequestRoutes(deps: RequestRoutesDeps, { inApp }: Routes) {
  return {
    read: inApp(async (call): Promise<RequestAnswer> => {
      const requestId = idOf(call, 'requestId', 'request');
      const item = itemOf(queryText(call, 'item'));
      const story = await deps.readStory({ appId: call.app.id, requestId, item });
      if (!story || item >= story.head.items) throw notFound('request');
      const delivery = story.head.definition.delivery ?? call.app.delivery;
      return tellStory(story, { item, isSandbox: delivery === 'sandbox', readAt: deps.now() });
    }),

    explain: inApp(async (call): Promise<ExplanationAnswer> => {
      const requestId = idOf(call, 'requestId', 'request');
      const sentences = await deps.explain(call.app.id, requestId);
      if (!sentences) throw notFound('request');
      return { sentences, command: `belfry doctor ${requestId}`, readAt: deps.now().getTime() };
    }),

    resend: inApp(async (call): Promise<ResendAnswer> => {
      const { confirm } = readBody(resendBody, call.body);
      const messageId = idOf(call, 'messageId', 'message');
      const input = { app: call.app, messageId, isConfirmed: confirm === true };
      const resent = await deps.resend(call.actor, input);
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
    }),

    cancel: inApp(async (call) => {
      const message = { messageId: idOf(call, 'messageId', 'message'), appId: call.app.id };
      if (await deps.cancelMessage(call.actor, message)) return { success: true };
      if (!(await deps.hasMessage(message.appId, message.messageId))) throw notFound('message');
      throw new Refusal('wrong_state', 'It no longer waits, so there is nothing to cancel.');
    }),
  };
}

function itemOf(given: string | undefined): number {
  if (given === undefined) return 0;
  const item = Number(given);
  if (/^\d{1,7}$/.test(given) && item < maxItem) return item;
  throw notFound('item');
}

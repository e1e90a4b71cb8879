import type { Actor } from '@belfry/database';
import type { ItemTimeline, ResendInput, ResendResult } from '@belfry/pipeline/operate';
import { Type } from '@sinclair/typebox';
import type { ExplanationAnswer, RequestAnswer, ResendAnswer } from '../../api/requests';
import { notFound, Refusal } from '../problem';
import { confirmSchema, readBody } from '../read-body';
import { queryText, type Routes, readId } from '../route';
import { buildTimeline } from '../timeline';

export type RequestRoutesDeps = {
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

const resendBody = Type.Object({ confirm: confirmSchema });
const maxItem = 1_000_000;

/** One request with its timeline, and the actions on its messages. */
export function createRequestRoutes(deps: RequestRoutesDeps, { inApp }: Routes) {
  return {
    read: inApp(async (call): Promise<RequestAnswer> => {
      const requestId = readId(call, 'requestId', 'request');
      const item = readItem(queryText(call, 'item'));
      const timeline = await deps.readTimeline({ appId: call.app.id, requestId, item });
      if (!timeline || item >= timeline.head.items) throw notFound('request');
      return buildTimeline(timeline, { item, readAt: deps.now() });
    }),

    explain: inApp(async (call): Promise<ExplanationAnswer> => {
      const requestId = readId(call, 'requestId', 'request');
      const sentences = await deps.explain(call.app.id, requestId);
      if (!sentences) throw notFound('request');
      return { sentences, command: `belfry doctor ${requestId}`, readAt: deps.now().getTime() };
    }),

    resend: inApp(async (call): Promise<ResendAnswer> => {
      const { confirm } = readBody(resendBody, call.body);
      const messageId = readId(call, 'messageId', 'message');
      const input = { appId: call.app.id, messageId, isConfirmed: confirm === true };
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
      const message = { messageId: readId(call, 'messageId', 'message'), appId: call.app.id };
      if (await deps.cancelMessage(call.actor, message)) return { success: true };
      if (!(await deps.hasMessage(message.appId, message.messageId))) throw notFound('message');
      throw new Refusal(
        'wrong_state',
        'The message is no longer queued, so it cannot be cancelled.',
      );
    }),
  };
}

function readItem(text: string | undefined): number {
  if (text === undefined) return 0;
  const item = Number(text);
  if (/^\d{1,7}$/.test(text) && item < maxItem) return item;
  throw notFound('item');
}

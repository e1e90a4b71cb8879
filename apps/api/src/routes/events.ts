import type { KeyedWork, SendEvent } from '@belfry/accepting';
import {
  AppError,
  createSendEventBody,
  createValidator,
  findScheduleProblem,
  sendEventFromWire,
  type WireChannels,
  withInterfaceNames,
} from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import { acceptedBody } from '../accepted';
import type { Operation } from '../openapi';
import type { PostCall } from '../post';

export type EventRoutesDeps = {
  channels: WireChannels;
  sendEvent: SendEvent;
  now: () => Date;
};

/** `POST /v1/apps/{app_id}/events/send` */
export function createSendEventRoute({ channels, sendEvent, now }: EventRoutesDeps) {
  const bodySchema = createSendEventBody(channels);
  const validate = createValidator(bodySchema);
  const channelNames = Object.keys(channels);

  function prepare(call: PostCall): KeyedWork {
    const body = validate(withInterfaceNames(call.body));
    const problem = findScheduleProblem(body, channelNames, now());
    if (problem) throw new AppError('validation_failed', problem, { errors: [problem] });
    const { callId, caller, idempotencyKey } = call;
    return {
      bodyOf: acceptedBody,
      async run(key) {
        const written = await sendEvent({
          callId,
          accountId: caller.accountId,
          apiKeyId: caller.apiKeyId,
          app: caller.app,
          ...sendEventFromWire(body),
          idempotencyKey,
          key,
        });
        return written.isWritten ? { isWritten: true, body: acceptedBody(callId) } : written;
      },
    };
  }

  return { operation: { ...sendEventOperation, body: bodySchema }, prepare };
}

const requestIdSchema = Type.String({ format: 'uuid' });

const sendEventOperation = {
  method: 'post',
  path: '/v1/apps/{app_id}/events/send',
  id: 'sendEvent',
  summary: 'Send an event to one recipient.',
  answer: Type.Object({
    request_id: requestIdSchema,
    id: requestIdSchema,
    success: Type.Boolean(),
  }),
  errors: ['event_not_found', 'event_not_live'],
} satisfies Omit<Operation, 'body'>;

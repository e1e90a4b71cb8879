import type { AnsweredCall, AnsweredWrite, IdempotentHandler } from '@belfry/pipeline/accept';
import type { Cancel, CancelResult } from '@belfry/pipeline/operate';
import {
  AppError,
  type CancelAnswer,
  type CancelBody,
  cancelAnswer,
  cancelBody,
  createValidator,
  isUuid,
} from '@belfry/shared';
import type { Operation } from '../operation';
import { readRequestId } from '../path-values';
import type { PostCall } from '../post';
import { invalidValue } from '../query-values';

export type CancelRouteDeps = {
  /** `toBody` gets undefined if the app has no such request. */
  cancelMessages(
    call: AnsweredCall,
    cancel: Cancel,
    toBody: (result: CancelResult | undefined) => string,
  ): Promise<AnsweredWrite>;
};

/** `POST /v1/apps/{app_id}/events/cancel` */
export function createCancelRoute({ cancelMessages }: CancelRouteDeps) {
  function prepare({ callId, caller, body }: PostCall): IdempotentHandler {
    const cancel = readCancel(validate(body), caller.app.id);
    const { accountId } = caller;
    return { run: (key) => cancelMessages({ callId, accountId, key }, cancel, toBody) };
  }

  return { operation, prepare };
}

const validate = createValidator(cancelBody);

/** The schema cannot say this, because Ajv would complain about it before the type of the body. */
function readCancel(body: CancelBody, appId: string): Cancel {
  const { cancel_key: cancelKey, request_id, user_ids: userIds, cursor } = body;
  if (cursor !== undefined && !isUuid(cursor)) {
    throw invalidValue('cursor', 'must be the `next` of an earlier response');
  }
  if ((cancelKey === undefined) === (request_id === undefined)) {
    throw invalidValue('body', 'must have either cancel_key or request_id');
  }
  const requestId = request_id === undefined ? undefined : readRequestId({ request_id });
  return { appId, cancelKey, requestId, userIds, after: cursor };
}

function toBody(result: CancelResult | undefined): string {
  if (!result) throw new AppError('request_not_found');
  const { cancelled, tooLate, unknown, next } = result;
  const answer: CancelAnswer = { cancelled, too_late: tooLate, unknown, ...(next && { next }) };
  return JSON.stringify(answer);
}

const operation = {
  method: 'post',
  path: '/v1/apps/{app_id}/events/cancel',
  id: 'cancelMessages',
  summary: 'Cancel messages that are not sent yet',
  description: `Cancels the messages of one request, or of all requests of the app with a \`cancel_key\`: scheduled and waiting ones, those that
wait for a retry, and items of a bulk send that are not planned yet. They end as \`skipped\` with the reason \`cancelled\`. A
message is either cancelled or sent, never both. A message that may have been sent already stays \`unknown\` and is not sent again; it counts as \`too_late\`.
A message that is being sent counts as \`too_late\`, too, and may be retried if that fails: repeat the call to cancel the retry. Messages
that an operator resent are not cancelled. A send that is accepted after the call is not cancelled. Repeating the call returns the same
kind of answer and changes nothing more. One call handles up to 1,000 requests with 20,000 items together; after that, the response has \`next\`. An unknown
\`cancel_key\` is not an error.`,
  storesNothing: true,
  body: cancelBody,
  bodyExamples: {
    request: {
      summary: 'One request',
      value: { request_id: '0199b1f5-21c8-7e0a-b3d4-5c6f70819a2b' },
    },
    key: {
      summary: 'Every send with a key',
      value: { cancel_key: 'order-A-1001' },
    },
  },
  answer: cancelAnswer,
  answerExample: { cancelled: 1, too_late: 0, unknown: 0 },
  errors: {
    request_not_found: {},
    validation_failed: { text: 'body must have either cancel_key or request_id' },
  },
} satisfies Operation;

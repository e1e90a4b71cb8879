import type { IdempotentHandler, SendEvent } from '@belfry/pipeline/accept';
import type { Metrics } from '@belfry/runtime';
import { createSendEventBody, type ReadSend, type WireChannels } from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import type { Operation } from '../operation';
import type { PostCall } from '../post';
import { dryRunAnswer, dryRunExample } from './dry-run';

export type EventRoutesDeps = {
  channels: WireChannels;
  readSend: ReadSend;
  sendEvent: SendEvent;
  metrics: Pick<Metrics, 'observeStage'>;
};

/** `POST /v1/apps/{app_id}/events/send` */
export function createSendEventRoute({ channels, readSend, sendEvent, metrics }: EventRoutesDeps) {
  function prepare(call: PostCall): IdempotentHandler {
    const { eventName, item } = readSend(call.body);
    const { callId, caller, idempotencyKey, startedAtMs, traceparent } = call;
    const { accountId, apiKeyId, app } = caller;
    const head = { callId, accountId, apiKeyId, app, idempotencyKey, traceparent };
    return {
      buildBody: acceptedBody,
      async run(key) {
        const runAtMs = performance.now();
        metrics.observeStage('receive', runAtMs - startedAtMs);
        const outcome = await sendEvent({ ...head, eventName, item, key });
        metrics.observeStage('commit', performance.now() - runAtMs);
        return outcome;
      },
    };
  }

  return { operation: { ...sendEventOperation, body: createSendEventBody(channels) }, prepare };
}

/** The response body of an accepted request. `more` adds fields. */
export function acceptedBody(requestId: string, more?: object): string {
  // A UUID needs no escaping.
  if (!more) return `{"request_id":"${requestId}","id":"${requestId}","success":true}`;
  return JSON.stringify({ request_id: requestId, id: requestId, success: true, ...more });
}

const requestIdSchema = Type.String({ format: 'uuid' });

const acceptedId = '0199b1f5-21c8-7e0a-b3d4-5c6f70819a2b';

const sendEventOperation = {
  method: 'post',
  path: '/v1/apps/{app_id}/events/send',
  id: 'sendEvent',
  summary: 'Send an event to one recipient',
  description: `Responds as soon as the request is stored. The event is sent on each of its channels for which the recipient has an address,
either in \`user\` or in the stored user with that \`user_id\`. An invalid or missing address does not refuse the request: that
channel is skipped, and the log shows why. Without \`user\`, every channel is skipped.`,
  bodyExamples: {
    address: {
      summary: 'E-mail address and phone number',
      value: {
        event: 'order_shipped',
        user: { email: 'ana@example.com', mobile: '+12025550123' },
        data: {
          user_name: 'Ana',
          order: { id: 'A-1001', items: [{ quantity: 2, name: 'Bell rope' }] },
        },
      },
    },
    stored_user: {
      summary: 'Stored user with a locale',
      value: {
        event: 'order_shipped',
        user: { user_id: 'customer-1', preferences: { locale: 'de' } },
        data: { user_name: 'Ana' },
      },
    },
    slack: {
      summary: 'Slack channel with a bot token',
      value: {
        event: 'order_shipped',
        user: { slack: { access_token: 'xoxb-a-bot-token', channel_id: 'C012345678' } },
        data: { user_name: 'Ana' },
      },
    },
    later: {
      summary: 'Scheduled, with an overridden subject, your own metadata and a key to cancel it',
      value: {
        event: 'order_shipped',
        user: { email: 'ana@example.com' },
        data: { user_name: 'Ana' },
        override: { email: { message: { subject: 'It is on its way' } } },
        schedule_at: '2027-01-04T08:00:00Z',
        metadata: { order_id: 'A-1001' },
        cancel_key: 'order-A-1001',
      },
    },
  },
  answer: Type.Object({
    request_id: requestIdSchema,
    id: requestIdSchema,
    success: Type.Boolean(),
  }),
  answerExample: { request_id: acceptedId, id: acceptedId, success: true },
  query: {
    dry_run: {
      description:
        'With `true`, nothing is stored or sent. The response shows for each channel what would happen. An `Idempotency-Key` has no effect.',
      schema: Type.Union([Type.Literal('true'), Type.Literal('false')]),
    },
  },
  dryRun: { answer: dryRunAnswer, answerExample: dryRunExample },
  errors: { event_not_found: {}, event_not_live: {}, too_complex: {} },
} satisfies Omit<Operation, 'body'>;

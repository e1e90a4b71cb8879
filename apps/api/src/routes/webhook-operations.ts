import {
  newWebhookBody,
  resendFailedWebhooksAnswer,
  resendFailedWebhooksBody,
  webhookAnswer,
  webhookBody,
  webhookDeliveryAnswer,
  webhookDeliveryListAnswer,
  webhookExampleBody,
  webhookListAnswer,
  webhookOutcomes,
  webhookTypeNames,
  webhookTypes,
  webhookWithSecretAnswer,
} from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import type { Operation } from '../operation';
import { pageLimits } from '../query-values';

const collection = '/v1/apps/{app_id}/webhooks';
const one = `${collection}/{endpoint_id}`;

const webhookExample = {
  id: '0199b1f4-c400-7a51-9c90-6e0f4a81bd36',
  url: 'https://shop.example/hooks/belfry',
  types: ['message.delivered', 'message.failed'],
  description: 'Order status',
  enabled: true,
  created_at: 1767225600000,
  updated_at: 1767225600000,
};
const secretExample = { secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' };
const deliveryExample = {
  id: '0199b1f4-d500-7b61-8da0-7f105b92ce47',
  type: 'message.failed',
  outcome: 'waiting',
  occurred_at: 1767225600000,
  next_at: 1767225600000,
  tries: [],
  body: {
    type: 'message.failed',
    timestamp: '2026-01-01T00:00:00.000Z',
    data: {
      app_id: '0199b1f4-7c10-7b52-8a44-91d0e6f3c2a8',
      ...webhookTypes['message.failed'].example,
      test: true,
    },
  },
};

const urlProblem = { validation_failed: { text: 'url must use https' } };
const unknown = { webhook_not_found: {} };
const unknownDelivery = { ...unknown, webhook_delivery_not_found: {} };

export const webhookOperations = {
  list: {
    ...{ method: 'get', path: collection, id: 'listWebhooks' },
    summary: 'List the endpoints of an app',
    description: 'Oldest first. The signing secrets are not shown.',
    answer: webhookListAnswer,
    answerExample: { webhooks: [webhookExample] },
    errors: {},
  },
  create: {
    ...{ method: 'post', path: collection, id: 'createWebhook' },
    summary: 'Create an endpoint',
    description:
      'An app can have 10. The response is the only one that shows the secret; a replay shows it again.',
    body: newWebhookBody,
    bodyExamples: {
      two_types: {
        summary: 'Two event types',
        value: {
          url: webhookExample.url,
          types: webhookExample.types,
          description: webhookExample.description,
        },
      },
    },
    answer: webhookWithSecretAnswer,
    answerExample: { ...webhookExample, ...secretExample },
    errors: { ...urlProblem, too_many_webhooks: {} },
  },
  read: {
    ...{ method: 'get', path: one, id: 'readWebhook' },
    summary: 'Read an endpoint',
    description: 'With the reason if it is disabled, and since when it fails.',
    answer: webhookAnswer,
    answerExample: webhookExample,
    errors: unknown,
  },
  change: {
    ...{ method: 'put', path: one, id: 'updateWebhook' },
    summary: 'Change, enable or disable an endpoint',
    description:
      'Absent fields stay unchanged. While an endpoint is disabled, events queue nothing for it, and what is queued waits.',
    body: webhookBody,
    bodyExamples: {
      description: {
        summary: 'New description only',
        value: { description: webhookExample.description },
      },
      enable: { summary: 'Enable it again', value: { enabled: true } },
    },
    answer: webhookAnswer,
    answerExample: webhookExample,
    errors: { ...urlProblem, ...unknown },
  },
  remove: {
    ...{ method: 'delete', path: one, id: 'deleteWebhook' },
    summary: 'Delete an endpoint',
    description: 'Its queued webhooks are not sent.',
    answer: Type.Object({ success: Type.Boolean() }),
    answerExample: { success: true },
    errors: unknown,
  },
  rotateSecret: {
    ...{ method: 'post', path: `${one}/rotate_secret`, id: 'rotateWebhookSecret' },
    summary: 'Create a new signing secret',
    description: 'For 24 hours, each webhook is signed with the new and with the previous secret.',
    answer: webhookWithSecretAnswer,
    answerExample: {
      ...webhookExample,
      previous_secret_ends_at: 1767312000000,
      ...secretExample,
    },
    errors: { ...unknown },
  },
  example: {
    ...{ method: 'post', path: `${one}/example`, id: 'sendWebhookExample' },
    summary: 'Send an example',
    description:
      'Queues an example of a type with `test: true`, even if the endpoint does not get this type.',
    body: webhookExampleBody,
    bodyExamples: { failed: { summary: 'A failed message', value: { type: 'message.failed' } } },
    answer: webhookDeliveryAnswer,
    answerExample: deliveryExample,
    errors: {
      validation_failed: { text: `type must be one of ${webhookTypeNames.join(', ')}` },
      ...unknown,
    },
  },
  deliveries: {
    ...{ method: 'get', path: `${one}/deliveries`, id: 'listWebhookDeliveries' },
    summary: 'List the deliveries of an endpoint',
    description: 'Those of the last 7 days, newest first.',
    query: {
      outcome: {
        description: 'Only deliveries with this outcome.',
        example: 'waiting',
        schema: Type.String({ enum: [...webhookOutcomes] }),
      },
      before: {
        description: '`next` of the previous page.',
        schema: Type.String({ format: 'uuid' }),
      },
      limit: {
        description: `Deliveries per page. Default: ${pageLimits.defaultValue}.`,
        schema: Type.Integer({ minimum: pageLimits.minimum, maximum: pageLimits.maximum }),
      },
    },
    answer: webhookDeliveryListAnswer,
    answerExample: { deliveries: [deliveryExample] },
    errors: {
      validation_failed: { text: 'limit must be a whole number from 1 to 100' },
      ...unknown,
    },
  },
  resend: {
    ...{ method: 'post', path: `${one}/deliveries/{delivery_id}/resend` },
    ...{ id: 'resendWebhookDelivery', summary: 'Resend a delivery' },
    description: 'Starts its schedule again, whatever its outcome. Its `webhook-id` stays.',
    answer: webhookDeliveryAnswer,
    answerExample: deliveryExample,
    errors: { ...unknownDelivery },
  },
  resendFailed: {
    ...{ method: 'post', path: `${one}/resend_failed`, id: 'resendFailedWebhookDeliveries' },
    summary: 'Resend the failed deliveries since a time',
    description:
      'Starts the schedule of at most 10,000 of them again, oldest first. If `resent` is 10,000, call it again.',
    body: resendFailedWebhooksBody,
    bodyExamples: { since: { summary: 'Since a time', value: { since: 1767225600000 } } },
    answer: resendFailedWebhooksAnswer,
    answerExample: { resent: 0 },
    errors: {
      validation_failed: { text: 'since must be a time in Unix milliseconds' },
      ...unknown,
    },
  },
} as const satisfies Record<string, Operation>;

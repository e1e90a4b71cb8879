import type { Transport } from './call';
import { wasDeletedBefore } from './errors';
import type {
  DeleteWebhookAnswer,
  NewWebhookBody,
  ResendFailedAnswer,
  Webhook,
  WebhookBody,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookExampleBody,
  WebhookList,
  WebhookWithSecret,
} from './generated/wire';
import { type CallOptions, readPathPart, type WriteOptions } from './options';
import { buildQuery } from './query';
import { requireObject, requireText } from './require-text';

/** The URLs that get webhooks of the app, and their deliveries. */
export type Webhooks = {
  list(options?: CallOptions): Promise<WebhookList>;
  /** Only this answer and that of `rotateSecret` have the secret. */
  create(body: NewWebhookBody, options?: WriteOptions): Promise<WebhookWithSecret>;
  get(endpointId: string, options?: CallOptions): Promise<Webhook>;
  /** Absent fields stay unchanged. */
  update(endpointId: string, body: WebhookBody, options?: CallOptions): Promise<Webhook>;
  delete(endpointId: string, options?: CallOptions): Promise<DeleteWebhookAnswer>;
  /** For 24 hours, the new and the previous secret sign. */
  rotateSecret(endpointId: string, options?: WriteOptions): Promise<WebhookWithSecret>;
  sendExample(
    endpointId: string,
    body: WebhookExampleBody,
    options?: WriteOptions,
  ): Promise<WebhookDelivery>;
  /** Newest first. To get the next page, pass `next` as `before`. */
  deliveries(
    endpointId: string,
    page?: DeliveryPage,
    options?: CallOptions,
  ): Promise<WebhookDeliveryList>;
  resend(endpointId: string, deliveryId: string, options?: WriteOptions): Promise<WebhookDelivery>;
  /** Resends at most 10,000 failed deliveries of events since then. */
  resendFailed(
    endpointId: string,
    body: { since: number },
    options?: WriteOptions,
  ): Promise<ResendFailedAnswer>;
};

export type DeliveryPage = {
  outcome?: WebhookDelivery['outcome'];
  /** `next` of the previous page. */
  before?: string;
  /** Maximum number of deliveries, up to 100. Default: 20. */
  limit?: number;
};

export function createWebhooks(transport: Transport): Webhooks {
  const post = <T>(call: { name: string; path: string; body?: object }, options?: WriteOptions) =>
    transport<T>({ ...call, name: `webhooks.${call.name}`, method: 'POST' }, options);

  return {
    list: (options) =>
      transport({ name: 'webhooks.list', method: 'GET', path: '/webhooks' }, options),
    async create(body, options) {
      requireText('webhooks.create', body, 'url');
      return post({ name: 'create', path: '/webhooks', body }, options);
    },
    get: async (id, options) =>
      transport({ name: 'webhooks.get', method: 'GET', path: buildPath(id) }, options),
    async update(id, body, options) {
      const name = 'webhooks.update';
      requireObject(name, body);
      return transport({ name, method: 'PUT', path: buildPath(id), body }, options);
    },
    delete: (id, options) => deleteWebhook(transport, id, options),
    rotateSecret: async (id, options) =>
      post({ name: 'rotateSecret', path: buildPath(id, '/rotate_secret') }, options),
    async sendExample(id, body, options) {
      requireText('webhooks.sendExample', body, 'type');
      return post({ name: 'sendExample', path: buildPath(id, '/example'), body }, options);
    },
    deliveries: async (id, page = {}, options) => {
      const path = buildPath(id, `/deliveries${buildQuery(page)}`);
      return transport({ name: 'webhooks.deliveries', method: 'GET', path }, options);
    },
    async resend(id, deliveryId, options) {
      const delivery = readPathPart('deliveryId', deliveryId);
      const path = buildPath(id, `/deliveries/${delivery}/resend`);
      return post({ name: 'resend', path }, options);
    },
    async resendFailed(id, body, options) {
      requireObject('webhooks.resendFailed', body);
      return post({ name: 'resendFailed', path: buildPath(id, '/resend_failed'), body }, options);
    },
  };
}

async function deleteWebhook(
  transport: Transport,
  id: string,
  options?: CallOptions,
): Promise<DeleteWebhookAnswer> {
  const operation = { name: 'webhooks.delete', method: 'DELETE', path: buildPath(id) } as const;
  try {
    return await transport(operation, options);
  } catch (error) {
    if (wasDeletedBefore(error, 'webhook_not_found')) return { success: true };
    throw error;
  }
}

function buildPath(endpointId: string, rest = ''): string {
  return `/webhooks/${readPathPart('endpointId', endpointId)}${rest}`;
}

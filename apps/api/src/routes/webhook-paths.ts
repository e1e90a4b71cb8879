import type { Express } from 'express';
import type { createPost } from '../post';
import type { createHandlersWithoutIdempotencyKey } from '../without-idempotency-key';
import { createWebhookRoutes, type WebhookRoutesDeps } from './webhooks';

type Handlers = Pick<ReturnType<typeof createPost>, 'post' | 'postWithoutBody'> &
  Pick<ReturnType<typeof createHandlersWithoutIdempotencyKey>, 'put' | 'withoutBody'>;

/** Adds the routes of webhooks, and returns them for the API document. */
export function addWebhookRoutes(
  app: Express,
  deps: WebhookRoutesDeps,
  { post, postWithoutBody, put, withoutBody }: Handlers,
) {
  const routes = createWebhookRoutes(deps);
  const collection = '/v1/apps/:app_id/webhooks';
  const one = `${collection}/:endpoint_id`;
  app.route(collection).get(withoutBody(routes.list.answer)).post(post(routes.create));
  app
    .route(one)
    .get(withoutBody(routes.read.answer))
    .put(put(routes.change.answer, { isStored: true }))
    .delete(withoutBody(routes.remove.answer));
  app.post(`${one}/rotate_secret`, postWithoutBody(routes.rotateSecret));
  app.post(`${one}/example`, post(routes.example));
  app.get(`${one}/deliveries`, withoutBody(routes.deliveries.answer));
  app.post(`${one}/deliveries/:delivery_id/resend`, postWithoutBody(routes.resend));
  app.post(`${one}/resend_failed`, post(routes.resendFailed));
  return Object.values(routes);
}

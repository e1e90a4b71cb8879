import { findUrlProblem, parsePrivateHosts } from '@belfry/channels';
import {
  createWebhookEndpoints,
  type Database,
  inTransaction,
  type Queryable,
} from '@belfry/database';
import { type AnsweredWrite, writeAnswered } from '@belfry/pipeline/accept';
import {
  listDeliveries,
  queueExample,
  resendDelivery,
  resendFailedDeliveries,
} from '@belfry/pipeline/webhooks';
import type { Env, Secrets } from '@belfry/runtime';
import { AppError, type ErrorCode } from '@belfry/shared';
import { mapStoreErrors } from './look-ups';
import type { WebhookRoutesDeps, WebhookStore, WebhookWrite } from './routes/webhooks';
import type { StoreWrite } from './store-writes';

type WebhookDeps = { env: Env<'api'>; database: Database; secrets: Secrets };

const answerPlace = 'idempotency_key:webhook_secret';

/** Creates access to endpoints and deliveries. `write` limits concurrent changes. */
export function createWebhooks(
  { env, database, secrets }: WebhookDeps,
  write: StoreWrite,
): WebhookRoutesDeps {
  const allowedPrivateHosts = parsePrivateHosts(env.ALLOWED_PRIVATE_HOSTS);
  return {
    webhooks: createStore({ database, secrets }, write),
    findWebhookUrlProblem: (url) => findUrlProblem(url, { allowedPrivateHosts }),
    webhookAnswerBox: {
      seal: (secret) => secrets.seal(secret, answerPlace),
      open: (sealed) => secrets.open(sealed, answerPlace),
    },
  };
}

function createStore(
  { database, secrets }: Pick<WebhookDeps, 'database' | 'secrets'>,
  write: StoreWrite,
): WebhookStore {
  const pool = database.accepting;
  const endpoints = createWebhookEndpoints({ pool, secrets });

  /** Stores the response with the idempotency key, in the transaction of the work. */
  function writeWithAnswer<Row>(
    call: WebhookWrite,
    toBody: (row: Row) => string,
    work: (client: Queryable) => Promise<Row>,
  ): Promise<AnsweredWrite> {
    return write(() => writeAnswered(pool, call, async (client) => toBody(await work(client))));
  }

  async function requireEndpoint(client: Queryable, appId: string, id: string): Promise<void> {
    required(await endpoints.find(appId, id, client), 'webhook_not_found');
  }

  return {
    list: (appId) => mapStoreErrors(endpoints.list(appId)),
    find: (appId, id) => mapStoreErrors(endpoints.find(appId, id)),
    create: (call, endpoint, toBody) =>
      writeWithAnswer(call, toBody, async (client) => {
        const created = await endpoints.create(client, call.actor, endpoint);
        if (created === 'full') throw new AppError('too_many_webhooks');
        return created;
      }),
    change: (actor, change) =>
      write(() => inTransaction(pool, (client) => endpoints.change(client, actor, change))),
    remove: (actor, id) =>
      write(() => inTransaction(pool, (client) => endpoints.remove(client, actor, id))),
    rotateSecret: (call, id, toBody) =>
      writeWithAnswer(call, toBody, async (client) =>
        required(await endpoints.rotateSecret(client, call.actor, id), 'webhook_not_found'),
      ),
    listDeliveries: (page) => mapStoreErrors(listDeliveries(database.lookUps, page)),
    sendExample: (call, example, toBody) =>
      writeWithAnswer(call, toBody, async (client) => {
        await requireEndpoint(client, call.actor.appId, example.endpointId);
        return queueExample(client, call.actor, example);
      }),
    resend: (call, address, toBody) =>
      writeWithAnswer(call, toBody, async (client) => {
        await requireEndpoint(client, call.actor.appId, address.endpointId);
        const resent = await resendDelivery(client, call.actor, address);
        return required(resent, 'webhook_delivery_not_found');
      }),
    resendFailed: (call, since, toBody) =>
      writeWithAnswer(call, toBody, async (client) => {
        await requireEndpoint(client, call.actor.appId, since.endpointId);
        return resendFailedDeliveries(client, call.actor, since);
      }),
  };
}

function required<T>(value: T | undefined, code: ErrorCode): T {
  if (value === undefined) throw new AppError(code);
  return value;
}

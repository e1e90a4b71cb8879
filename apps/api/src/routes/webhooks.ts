import type { ActorInApp } from '@belfry/database';
import type { AnsweredCall, AnsweredWrite, IdempotentHandler } from '@belfry/pipeline/accept';
import type { DeliveryWithEvent } from '@belfry/pipeline/webhooks';
import {
  AppError,
  createValidator,
  isUuid,
  newWebhookBody,
  resendFailedWebhooksBody,
  type WebhookEndpoint,
  type WebhookOutcome,
  type WebhookType,
  webhookBody,
  webhookDeliveryToWire,
  webhookExampleBody,
  webhookOutcomes,
  webhookToWire,
  webhookTypeNames,
} from '@belfry/shared';
import type { Answer } from '../call';
import type { PathParameters } from '../path-values';
import type { PostCall, RouteCall } from '../post';
import {
  invalidValue,
  pageLimits,
  type Query,
  readQueryNumber,
  readQueryValue,
} from '../query-values';
import type { PutCall, QueryCall } from '../without-idempotency-key';
import { webhookOperations } from './webhook-operations';

/** A POST: `actor` makes the change, and its response is stored with the idempotency key. */
export type WebhookWrite = AnsweredCall & { actor: ActorInApp };
type ToBody<Row> = (row: Row) => string;
type WithSecret = { endpoint: WebhookEndpoint; secret: string };
type NewEndpoint = { url: string; types: WebhookType[]; description: string };

/** Undefined if the app has no such endpoint or delivery; a write throws AppError instead. */
export type WebhookStore = {
  list(appId: string): Promise<WebhookEndpoint[]>;
  find(appId: string, id: string): Promise<WebhookEndpoint | undefined>;
  create(
    write: WebhookWrite,
    endpoint: NewEndpoint,
    toBody: ToBody<WithSecret>,
  ): Promise<AnsweredWrite>;
  change(
    actor: ActorInApp,
    change: Partial<NewEndpoint> & { id: string; isEnabled?: boolean | undefined },
  ): Promise<WebhookEndpoint | undefined>;
  remove(actor: ActorInApp, id: string): Promise<boolean>;
  rotateSecret(write: WebhookWrite, id: string, toBody: ToBody<WithSecret>): Promise<AnsweredWrite>;
  listDeliveries(page: {
    appId: string;
    endpointId: string;
    outcome: WebhookOutcome | undefined;
    before: string | undefined;
    limit: number;
  }): Promise<DeliveryWithEvent[]>;
  sendExample(
    write: WebhookWrite,
    example: { endpointId: string; type: WebhookType },
    toBody: ToBody<DeliveryWithEvent>,
  ): Promise<AnsweredWrite>;
  resend(
    write: WebhookWrite,
    address: { endpointId: string; id: string },
    toBody: ToBody<DeliveryWithEvent>,
  ): Promise<AnsweredWrite>;
  resendFailed(
    write: WebhookWrite,
    since: { endpointId: string; since: Date },
    toBody: ToBody<number>,
  ): Promise<AnsweredWrite>;
};

export type WebhookRoutesDeps = {
  webhooks: WebhookStore;
  /** The rule that a URL breaks, such as `must use https`. */
  findWebhookUrlProblem(url: string): string | undefined;
  /** Seals a secret in a response that is stored with an idempotency key, and opens it again. */
  webhookAnswerBox: { seal(secret: string): string; open(sealed: string): string };
};

/** The endpoints of an app that get webhooks, and their deliveries. */
export function createWebhookRoutes(deps: WebhookRoutesDeps) {
  return { ...createEndpointRoutes(deps), ...createDeliveryRoutes(deps) };
}

function createEndpointRoutes({
  webhooks,
  findWebhookUrlProblem,
  webhookAnswerBox: box,
}: WebhookRoutesDeps) {
  const toSecretBody = ({ endpoint, secret }: WithSecret) =>
    JSON.stringify({ ...webhookToWire(endpoint), secret: box.seal(secret) });

  /** The stored response has the secret sealed. */
  function reveal(body: string): string {
    const answer = JSON.parse(body) as { secret: string };
    return JSON.stringify({ ...answer, secret: box.open(answer.secret) });
  }

  function checkUrl(url: string | undefined): void {
    const problem = url === undefined ? undefined : findWebhookUrlProblem(url);
    if (problem) throw invalidValue('url', problem);
  }

  function prepareCreate(call: PostCall): IdempotentHandler {
    const { url, types = webhookTypeNames, description = '' } = validateNew(call.body);
    checkUrl(url);
    const endpoint = { url, types: [...types], description };
    return { run: (key) => webhooks.create({ ...toWrite(call), key }, endpoint, toSecretBody) };
  }

  async function change(call: PutCall): Promise<Answer> {
    const { enabled: isEnabled, ...fields } = validateChange(call.body);
    checkUrl(fields.url);
    const id = readEndpointId(call.path);
    return toAnswer(await webhooks.change(toActor(call), { id, ...fields, isEnabled }));
  }

  return {
    list: {
      operation: webhookOperations.list,
      async answer({ caller }: QueryCall): Promise<Answer> {
        const rows = await webhooks.list(caller.app.id);
        return { status: 200, body: JSON.stringify({ webhooks: rows.map(webhookToWire) }) };
      },
    },
    create: { operation: webhookOperations.create, prepare: prepareCreate, reveal },
    read: {
      operation: webhookOperations.read,
      answer: async ({ caller, path }: QueryCall) =>
        toAnswer(await webhooks.find(caller.app.id, readEndpointId(path))),
    },
    change: { operation: webhookOperations.change, answer: change },
    remove: {
      operation: webhookOperations.remove,
      async answer(call: QueryCall): Promise<Answer> {
        if (!(await webhooks.remove(toActor(call), readEndpointId(call.path))))
          throw unknownWebhook();
        return { status: 200, body: '{"success":true}' };
      },
    },
    rotateSecret: {
      operation: webhookOperations.rotateSecret,
      prepare(call: RouteCall): IdempotentHandler {
        const id = readEndpointId(call.path);
        return { run: (key) => webhooks.rotateSecret({ ...toWrite(call), key }, id, toSecretBody) };
      },
      reveal,
    },
  };
}

function createDeliveryRoutes({ webhooks }: Pick<WebhookRoutesDeps, 'webhooks'>) {
  async function list({ caller, path, query }: QueryCall): Promise<Answer> {
    const address = { appId: caller.app.id, endpointId: readEndpointId(path) };
    const outcome = readOutcome(query);
    const before = readBefore(query);
    const limit = readQueryNumber(query, 'limit', pageLimits);
    if (!(await webhooks.find(address.appId, address.endpointId))) throw unknownWebhook();
    // One more than the page, to see whether there is a next one.
    const rows = await webhooks.listDeliveries({ ...address, outcome, before, limit: limit + 1 });
    const deliveries = rows.slice(0, limit).map(toDeliveryWire);
    const next = rows.length > limit ? { next: rows[limit - 1]?.id } : {};
    return { status: 200, body: JSON.stringify({ deliveries, ...next }) };
  }

  return {
    deliveries: { operation: webhookOperations.deliveries, answer: list },
    example: {
      operation: webhookOperations.example,
      prepare(call: PostCall): IdempotentHandler {
        const example = { ...validateExample(call.body), endpointId: readEndpointId(call.path) };
        return {
          run: (key) => webhooks.sendExample({ ...toWrite(call), key }, example, toDeliveryBody),
        };
      },
    },
    resend: {
      operation: webhookOperations.resend,
      prepare(call: RouteCall): IdempotentHandler {
        const { delivery_id: id = '' } = call.path;
        const endpointId = readEndpointId(call.path);
        if (!isUuid(id)) throw new AppError('webhook_delivery_not_found');
        const address = { endpointId, id: id.toLowerCase() };
        return {
          run: (key) => webhooks.resend({ ...toWrite(call), key }, address, toDeliveryBody),
        };
      },
    },
    resendFailed: {
      operation: webhookOperations.resendFailed,
      prepare(call: PostCall): IdempotentHandler {
        const since = new Date(validateSince(call.body).since);
        const address = { endpointId: readEndpointId(call.path), since };
        return {
          run: (key) => webhooks.resendFailed({ ...toWrite(call), key }, address, toResentBody),
        };
      },
    },
  };
}

const validateNew = createValidator(newWebhookBody);
const validateChange = createValidator(webhookBody);
const validateExample = createValidator(webhookExampleBody);
const validateSince = createValidator(resendFailedWebhooksBody);

const toDeliveryWire = ({ event, ...delivery }: DeliveryWithEvent) =>
  webhookDeliveryToWire(delivery, event);
const toDeliveryBody = (delivery: DeliveryWithEvent) => JSON.stringify(toDeliveryWire(delivery));
const toResentBody = (resent: number) => JSON.stringify({ resent });

function toAnswer(endpoint: WebhookEndpoint | undefined): Answer {
  if (!endpoint) throw unknownWebhook();
  return { status: 200, body: JSON.stringify(webhookToWire(endpoint)) };
}

function unknownWebhook(): AppError {
  return new AppError('webhook_not_found');
}

/** An invalid `endpoint_id` is an unknown endpoint. */
function readEndpointId({ endpoint_id: id }: PathParameters): string {
  if (id === undefined || !isUuid(id)) throw unknownWebhook();
  return id.toLowerCase();
}

function readOutcome(query: Query): WebhookOutcome | undefined {
  const text = readQueryValue(query, 'outcome');
  const outcome = webhookOutcomes.find((each) => each === text);
  if (text === undefined || outcome) return outcome;
  throw invalidValue('outcome', `must be one of ${webhookOutcomes.join(', ')}`);
}

function readBefore(query: Query): string | undefined {
  const before = readQueryValue(query, 'before');
  if (before === undefined || isUuid(before)) return before;
  throw invalidValue('before', 'must be the `next` of an earlier response');
}

const shownKeyCharacters = 6;

function toActor({ caller }: RouteCall): ActorInApp {
  const { accountId, apiKeyId, app } = caller;
  const by = `API key bk_${apiKeyId.slice(0, shownKeyCharacters)}…`;
  return { accountId, appId: app.id, operatorId: undefined, by };
}

function toWrite(call: RouteCall): Omit<WebhookWrite, 'key'> {
  return { callId: call.callId, accountId: call.caller.accountId, actor: toActor(call) };
}

import {
  type ActorInApp,
  maxWebhookEndpoints,
  type Queryable,
  type WebhookEndpoints,
} from '@belfry/database';
import type {
  DeliveryCounts,
  DeliveryWithEvent,
  listDeliveries,
  queueExample,
  resendDelivery,
  resendFailedDeliveries,
} from '@belfry/pipeline/webhooks';
import {
  isUuid,
  type WebhookEndpoint,
  type WebhookTry,
  webhookDisabledReasons,
  webhookTypeNames,
  webhookTypes,
} from '@belfry/shared';
import type {
  WebhookDeliveryAnswer,
  WebhookEndpointAnswer,
  WebhookTryAnswer,
} from '../../api/webhooks';
import { invalid, notFound, Refusal } from '../problem';
import { type AppCall, type Handlers, readId } from '../route';

type Bound<F> = F extends (database: never, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

export type WebhookHandlersDeps = {
  endpoints: WebhookEndpoints;
  /** Runs a change in a transaction. */
  change<T>(work: (client: Queryable) => Promise<T>): Promise<T>;
  /** The rule that a URL breaks, such as `must use https`. */
  findUrlProblem(url: string): string | undefined;
  countDeliveries(appId: string): Promise<DeliveryCounts[]>;
  listDeliveries: Bound<typeof listDeliveries>;
  deliveries: {
    queueExample: typeof queueExample;
    resend: typeof resendDelivery;
    resendFailed: typeof resendFailedDeliveries;
  };
};

const deliveriesOfPage = 50;

/** The endpoints of an app that get webhooks, and their deliveries. */
export function createWebhookHandlers(deps: WebhookHandlersDeps) {
  return { ...createEndpointHandlers(deps), ...createDeliveryHandlers(deps) };
}

function createEndpointHandlers(deps: WebhookHandlersDeps) {
  const { endpoints, change, findUrlProblem, countDeliveries } = deps;

  function checkUrl(url: string | undefined): void {
    const problem = url === undefined ? undefined : findUrlProblem(url);
    if (problem) throw invalid([{ path: 'url', problem }]);
  }

  async function toAnswers(appId: string, rows: WebhookEndpoint[]) {
    const counts = new Map((await countDeliveries(appId)).map((each) => [each.endpointId, each]));
    return rows.map((row) => toEndpointAnswer(row, counts.get(row.id)));
  }

  async function toAnswer(appId: string, row: WebhookEndpoint | undefined) {
    const [answer] = row ? await toAnswers(appId, [row]) : [];
    if (!answer) throw notFound('endpoint');
    return answer;
  }

  return {
    async 'GET /api/apps/:appId/webhooks'({ app }) {
      return {
        endpoints: await toAnswers(app.id, await endpoints.list(app.id)),
        maxEndpoints: maxWebhookEndpoints,
        types: webhookTypeNames.map((name) => ({ name, means: webhookTypes[name].means })),
      };
    },

    async 'POST /api/apps/:appId/webhooks'({ app, actor, body }) {
      const form = { ...body, url: body.url.trim(), description: body.description.trim() };
      checkUrl(form.url);
      const created = await change((client) =>
        endpoints.create(client, { ...actor, appId: app.id }, form),
      );
      if (created === 'full') {
        const text = `This app already has ${maxWebhookEndpoints} endpoints. Remove one first.`;
        throw new Refusal('wrong_state', text);
      }
      return { endpoint: await toAnswer(app.id, created.endpoint), secret: created.secret };
    },

    async 'PATCH /api/apps/:appId/webhooks/:endpointId'({ app, actor, path, body }) {
      const fields = { ...body, ...(body.url && { url: body.url.trim() }) };
      checkUrl(fields.url);
      const id = readId(path.endpointId, 'endpoint');
      const row = await change((client) =>
        endpoints.change(client, { ...actor, appId: app.id }, { id, ...fields }),
      );
      return toAnswer(app.id, row);
    },

    async 'DELETE /api/apps/:appId/webhooks/:endpointId'({ app, actor, path }) {
      const id = readId(path.endpointId, 'endpoint');
      const isRemoved = await change((client) =>
        endpoints.remove(client, { ...actor, appId: app.id }, id),
      );
      if (!isRemoved) throw notFound('endpoint');
      return { success: true };
    },

    async 'POST /api/apps/:appId/webhooks/:endpointId/rotate'({ app, actor, path }) {
      const id = readId(path.endpointId, 'endpoint');
      const rotated = await change((client) =>
        endpoints.rotateSecret(client, { ...actor, appId: app.id }, id),
      );
      if (!rotated) throw notFound('endpoint');
      return { endpoint: await toAnswer(app.id, rotated.endpoint), secret: rotated.secret };
    },
  } satisfies Partial<Handlers>;
}

type EndpointCall = AppCall & { path: { endpointId: string } };

function createDeliveryHandlers({ endpoints, change, deliveries, ...deps }: WebhookHandlersDeps) {
  /** The ID of an endpoint of the app. */
  async function requireEndpoint({ app, path }: EndpointCall): Promise<string> {
    const id = readId(path.endpointId, 'endpoint');
    if (!(await endpoints.find(app.id, id))) throw notFound('endpoint');
    return id;
  }

  const toActor = ({ app, actor }: AppCall): ActorInApp => ({ ...actor, appId: app.id });

  return {
    async 'GET /api/apps/:appId/webhooks/:endpointId/deliveries'(call) {
      const { outcome, before } = call.query;
      if (before !== undefined && !isUuid(before)) throw notFound('page');
      const endpointId = await requireEndpoint(call);
      const page = { appId: call.app.id, endpointId, outcome, before };
      const rows = await deps.listDeliveries({ ...page, limit: deliveriesOfPage + 1 });
      const shown = rows.slice(0, deliveriesOfPage);
      const next = rows.length > deliveriesOfPage ? (shown.at(-1)?.id ?? null) : null;
      return { deliveries: shown.map(toDeliveryAnswer), next };
    },

    async 'POST /api/apps/:appId/webhooks/:endpointId/example'(call) {
      const example = { endpointId: await requireEndpoint(call), type: call.body.type };
      const queued = await change((client) =>
        deliveries.queueExample(client, toActor(call), example),
      );
      return toDeliveryAnswer(queued);
    },

    async 'POST /api/apps/:appId/webhooks/:endpointId/deliveries/:deliveryId/resend'(call) {
      const endpointId = await requireEndpoint(call);
      const address = { endpointId, id: readId(call.path.deliveryId, 'delivery') };
      const resent = await change((client) => deliveries.resend(client, toActor(call), address));
      if (!resent) throw notFound('delivery');
      return toDeliveryAnswer(resent);
    },

    async 'POST /api/apps/:appId/webhooks/:endpointId/resend-failed'(call) {
      const since = new Date(call.body.since);
      const address = { endpointId: await requireEndpoint(call), since };
      const resent = await change((client) =>
        deliveries.resendFailed(client, toActor(call), address),
      );
      return { resent };
    },
  } satisfies Partial<Handlers>;
}

function toEndpointAnswer(
  { disabledAt, disabledReason, failingSince, previousSecretEndsAt, ...row }: WebhookEndpoint,
  { waiting = 0, failed = 0 }: Partial<DeliveryCounts> = {},
): WebhookEndpointAnswer {
  return {
    ...row,
    state: getState({ disabledAt, failingSince }),
    disabledAt: disabledAt?.getTime() ?? null,
    disabledReason: disabledReason && webhookDisabledReasons[disabledReason],
    failingSince: failingSince?.getTime() ?? null,
    previousSecretEndsAt: previousSecretEndsAt?.getTime() ?? null,
    waiting,
    failed,
    createdAt: row.createdAt.getTime(),
    updatedAt: row.updatedAt.getTime(),
  };
}

function getState({
  disabledAt,
  failingSince,
}: Pick<WebhookEndpoint, 'disabledAt' | 'failingSince'>): WebhookEndpointAnswer['state'] {
  if (disabledAt) return 'disabled';
  return failingSince ? 'failing' : 'active';
}

function toDeliveryAnswer(delivery: DeliveryWithEvent): WebhookDeliveryAnswer {
  const { id, type, outcome, occurredAt, nextAt, tries, event } = delivery;
  return {
    ...{ id, type, outcome, occurredAt: occurredAt.getTime(), nextAt: nextAt?.getTime() ?? null },
    tries: tries.map(toTryAnswer),
    body: event,
  };
}

function toTryAnswer({ at, ms, status, answer, error }: WebhookTry): WebhookTryAnswer {
  return { at, ms, status: status ?? null, answer: answer ?? null, error: error ?? null };
}

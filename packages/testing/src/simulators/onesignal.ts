import { hash } from 'node:crypto';
import {
  createHttpSimulator,
  type HttpFault,
  type HttpReply,
  type HttpRequest,
  type HttpSimulator,
} from './http-simulator';
import { type OnesignalTarget, readOnesignalMessage } from './onesignal-rules';

/** A message that OneSignal accepted. A repetition with the same idempotency key is answered, but is no new send. */
export type OnesignalSend = {
  id: string;
  appId: string;
  /** The recipient: the alias `external_id`, or a subscription. */
  externalId?: string;
  subscriptionId?: string;
  idempotencyKey: string;
  /** The whole request as received. */
  body: Record<string, unknown>;
  /** SHA-256 of the key in hexadecimal, to identify it without storing it. */
  keyHash: string;
};

/** `errors` are OneSignal's, with status 400 by default; `id` is added if present. */
export type OnesignalFault =
  | HttpFault
  | {
      on?: string;
      errors: unknown;
      id?: string;
      status?: number;
      headers?: Record<string, string>;
    };

export type OnesignalSimulator = Omit<HttpSimulator<OnesignalSend>, 'fail'> & {
  fail(...faults: OnesignalFault[]): void;
  /** The person switched all notifications off, or the subscription was removed. */
  unsubscribe(id: string): void;
};

/** OneSignal's API, limited to sending: creating a message, and listing messages. */
export async function createOnesignalSimulator(): Promise<OnesignalSimulator> {
  const answeredRequests = new Map<string, { id: string; bodyHash: string }>();
  const unsubscribed = new Set<string>();
  let messageCount = 0;

  function create(request: HttpRequest, key: string): { reply: HttpReply; send?: OnesignalSend } {
    const read = readOnesignalMessage(request);
    if ('problem' in read) return { reply: refusal([read.problem]) };
    const { target, idempotencyKey, body } = read;
    const bodyHash = hash('sha256', request.body, 'hex');
    const earlierRequest = answeredRequests.get(idempotencyKey);
    if (earlierRequest) {
      const isSame = earlierRequest.bodyHash === bodyHash;
      return {
        reply: isSame ? buildReplay(earlierRequest.id) : refusal(['Idempotency key reused'], 409),
      };
    }
    if (unsubscribed.has(getId(target))) {
      return { reply: { body: { id: '', errors: ['All included players are not subscribed'] } } };
    }
    messageCount += 1;
    const id = `00000000-0000-4000-8000-${String(messageCount).padStart(12, '0')}`;
    answeredRequests.set(idempotencyKey, { id, bodyHash });
    return {
      reply: { body: { id, external_id: idempotencyKey } },
      send: {
        id,
        appId: String(body['app_id']),
        ...target,
        idempotencyKey,
        body,
        keyHash: hash('sha256', key, 'hex'),
      },
    };
  }

  const simulator = await createHttpSimulator<OnesignalSend>({
    handle(request) {
      const key = /^Key (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
      if (!key) return { reply: refusal(['Access denied: no Authorization header'], 401) };
      if (request.method === 'POST' && request.path === '/notifications') {
        return create(request, key);
      }
      const isList = request.method === 'GET' && /^\/notifications\?app_id=/.test(request.path);
      if (isList) return { reply: { body: { total_count: 0, notifications: [] } } };
      return { reply: { status: 404, body: '<html>' } };
    },
  });
  return {
    ...simulator,
    fail: (...faults) => simulator.fail(...faults.map(toHttpFault)),
    unsubscribe: (id) => unsubscribed.add(id),
  };
}

function getId(target: OnesignalTarget): string {
  return 'externalId' in target ? target.externalId : target.subscriptionId;
}

function buildReplay(id: string): HttpReply {
  return { headers: { 'idempotent-replayed': 'true' }, body: { id } };
}

function refusal(errors: unknown, status = 400): HttpReply {
  return { status, body: { errors } };
}

function toHttpFault(fault: OnesignalFault): HttpFault {
  if (!('errors' in fault)) return fault;
  const { on, errors, id, status = id === undefined ? 400 : 200, headers } = fault;
  const body = { ...(id === undefined ? {} : { id }), errors };
  return { ...(on ? { on } : {}), reply: { status, ...(headers ? { headers } : {}), body } };
}

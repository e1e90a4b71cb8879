import { randomBytes } from 'node:crypto';
import {
  createHttpSimulator,
  type HttpFault,
  type HttpReply,
  type HttpRequest,
  type HttpSimulator,
} from './http-simulator';
import { parseObject } from './read-object';
import {
  createP256,
  type ReadWebPush,
  readWebPush,
  type SubscriptionKeys,
  type WebPushProblem,
} from './web-push-rules';

/** A message that the push service accepted, as the browser decrypts it. */
export type WebPushSend = Omit<ReadWebPush, 'text'> & {
  id: string;
  endpoint: string;
  /** The JSON that the service worker gets. */
  payload: Record<string, unknown>;
  /** The value that the page reports as `notification_id`. */
  messageId?: string;
};

export type WebPushFault = HttpFault | { on?: string; status: number; errno: number };

/** A browser's subscription, as `PushSubscription.toJSON()` returns it. */
export type SimulatedSubscription = {
  endpoint: string;
  keys: { p256dh: string; auth: string };
};

export type WebPushSimulator = Omit<HttpSimulator<WebPushSend>, 'fail'> & {
  /** The base URL: the value for WEB_PUSH_API_URL. */
  url: string;
  fail(...faults: WebPushFault[]): void;
  /** Subscribes a browser. With a key, only requests that are signed with it are accepted. */
  subscribe(applicationServerKey?: string): SimulatedSubscription;
  /** Ends a subscription, as when the user revokes the permission. */
  unsubscribe(endpoint: string): void;
};

type Browser = { keys: SubscriptionKeys; applicationServerKey: string | undefined };

/** Firefox' push service; only hosts like this one may say something about an integration. */
const defaultOrigin = 'https://updates.push.services.mozilla.com';

/**
 * A push service (RFC 8030, 8292) with its browsers (RFC 8291). Endpoints have the `origin`; the base URL replaces it in
 * requests.
 */
export async function createWebPushSimulator({
  origin = defaultOrigin,
} = {}): Promise<WebPushSimulator> {
  const browsers = new Map<string, Browser | 'gone'>();
  let messageCount = 0;

  function receive(request: HttpRequest): { reply: HttpReply; send?: WebPushSend } {
    const endpoint = origin + request.path;
    const browser = browsers.get(endpoint);
    if (request.method !== 'POST' || !browser) return { reply: refusal(noEndpoint) };
    if (browser === 'gone') return { reply: refusal(goneEndpoint) };
    const read = readWebPush(request, { origin, keys: browser.keys, nowMs: Date.now() });
    if ('problem' in read) return { reply: refusal(read.problem) };
    const { applicationServerKey = read.publicKey } = browser;
    if (read.publicKey !== applicationServerKey) return { reply: otherKey };
    messageCount += 1;
    const id = `m${messageCount}`;
    const reply = { status: 201, headers: { location: `${origin}/m/${id}` }, body: '' };
    return { reply, send: createSend(read, { id, endpoint }) };
  }

  const simulator = await createHttpSimulator<WebPushSend>({ handle: receive });
  return {
    ...simulator,
    fail: (...faults) => simulator.fail(...faults.map(toHttpFault)),
    subscribe(applicationServerKey) {
      const keys = { ecdh: createP256(), auth: randomBytes(16) };
      const endpoint = `${origin}/wpush/v2/${randomBytes(32).toString('base64url')}`;
      browsers.set(endpoint, { keys, applicationServerKey });
      const p256dh = keys.ecdh.getPublicKey('base64url');
      return { endpoint, keys: { p256dh, auth: keys.auth.toString('base64url') } };
    },
    unsubscribe: (endpoint) => browsers.set(endpoint, 'gone'),
  };
}

function createSend(
  { text, ...read }: ReadWebPush,
  { id, endpoint }: { id: string; endpoint: string },
): WebPushSend {
  const payload = parseObject(Buffer.from(text)) ?? {};
  const messageId = payload['raven_notification_id'];
  return {
    ...read,
    id,
    endpoint,
    payload,
    ...(typeof messageId === 'string' ? { messageId } : {}),
  };
}

const noEndpoint = { status: 404, errno: 102, message: 'Invalid URL endpoint' };
const goneEndpoint = { status: 410, errno: 106, message: 'Invalid subscription' };

/** FCM's text. */
const otherKey: HttpReply = {
  status: 403,
  body: 'the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.\n',
};

function refusal({ status, errno, message }: WebPushProblem): HttpReply {
  return { status, body: { code: status, errno, error: 'Simulated', message } };
}

function toHttpFault(fault: WebPushFault): HttpFault {
  if (!('errno' in fault)) return fault;
  const { on, ...problem } = fault;
  const reply = refusal({ message: 'Simulated', ...problem });
  return { ...(on === undefined ? {} : { on }), reply };
}

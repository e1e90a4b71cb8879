import { createVerify } from 'node:crypto';
import type {
  ConnectionTestResult,
  IntegrationInput,
  Provider,
  SendCall,
  Sender,
  SenderDeps,
  SendResult,
} from '../channel';
import { findUrlProblem } from '../guarded-http';
import { createHttp } from '../http';
import { createGuardedLookup } from '../public-address';
import type { PushContent } from './template';
import {
  checkWebPush,
  readWebPush,
  webPushCredentials,
  webPushPayload,
  webPushSettings,
} from './web-push-integration';
import { buildWebPushRequest, describeWebPush, type WebPushRequest } from './web-push-request';
import { readWebPushResponse, refuseEndpoint } from './web-push-response';

/** Push services of browsers: RFC 8030 with VAPID (RFC 8292). */
export const webPush: Provider<PushContent> = {
  label: 'Web push',
  settings: webPushSettings,
  credentials: webPushCredentials,
  async makeCredentials() {
    const { default: library } = await import('web-push');
    const { publicKey, privateKey } = library.generateVAPIDKeys();
    return { public_key: publicKey, private_key: privateKey };
  },
  payload: webPushPayload,
  check: checkWebPush,
  describe: (call) => describeWebPush(call),
  createSender: createWebPushSender,
};

/** A push service answers without content, or with a short error. */
const maxResponseBytes = 16 * 1024;

function createWebPushSender({ baseUrls, allowedPrivateHosts }: SenderDeps): Sender<PushContent> {
  const guard = { allowedPrivateHosts };
  const base = baseUrls['web_push'];
  // Users bring the endpoints. Only the operator sets the base URL.
  const http = createHttp(base === undefined ? { lookup: createGuardedLookup(guard) } : {});

  async function send(call: SendCall<PushContent>): Promise<SendResult> {
    const integration = readWebPush(call);
    if (!integration) return { outcome: incomplete };
    if (!call.webPush) return { outcome: withoutKeys };
    const problem = base === undefined ? findEndpointProblem(call.target, guard) : undefined;
    if (problem !== undefined) return { outcome: refuseEndpoint(problem) };
    const request = await buildWebPushRequest(call, integration, call.webPush).catch(
      () => undefined,
    );
    return request ? post(call, request) : { outcome: withoutKeys };
  }

  async function post(
    call: SendCall<PushContent>,
    { headers, body, ttl }: WebPushRequest,
  ): Promise<SendResult> {
    const { pathname, search } = new URL(call.target);
    const httpResult = await http.request({
      method: 'POST',
      url: base === undefined ? call.target : `${base}${pathname}${search}`,
      headers,
      body,
      signal: call.signal,
      maxResponseBytes,
    });
    return { ...readWebPushResponse(httpResult, call), request: describeWebPush(call, ttl) };
  }

  return {
    send,
    test: testKeys,
    async close() {
      http.close();
    },
  };
}

/** GCM endpoints know no VAPID; Google ended them in 2019. */
const gcmEndpoint = 'https://android.googleapis.com/gcm/send';

function findEndpointProblem(
  endpoint: string,
  guard: Parameters<typeof findUrlProblem>[1],
): string | undefined {
  if (endpoint.startsWith(gcmEndpoint)) return 'Google ended this push service in 2019.';
  const rule = findUrlProblem(endpoint, guard);
  return rule && `The endpoint ${rule}.`;
}

/** There is no account to ask, so this only signs a token and verifies it with the public key. */
async function testKeys(input: IntegrationInput): Promise<ConnectionTestResult> {
  const integration = readWebPush(input);
  if (!integration) return { isWorking: false, detail: incomplete.detail };
  const { subject, publicKey, privateKey } = integration;
  const { default: library } = await import('web-push');
  const { Authorization: authorization } = library.getVapidHeaders(
    ...(['https://push.example.com', subject, publicKey, privateKey] as const),
    'aes128gcm',
  );
  return isSigned(authorization, publicKey)
    ? {
        isWorking: true,
        detail: `The keys sign a VAPID token with the contact ${subject}. No push service was called: web push has no account to test.`,
      }
    : { isWorking: false, detail: 'The public key does not verify what the private key signs.' };
}

/** Verifies the ES256 signature in `vapid t=<JWT>, k=<key>` (RFC 8292, section 3). */
function isSigned(authorization: string, publicKey: string): boolean {
  const [, header = '', claims = '', signature = ''] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=/.exec(authorization) ?? [];
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)];
  const jwk = {
    ...{ kty: 'EC', crv: 'P-256' },
    ...{ x: x.toString('base64url'), y: y.toString('base64url') },
  };
  return createVerify('sha256')
    .update(`${header}.${claims}`)
    .verify({ key: jwk, format: 'jwk', dsaEncoding: 'ieee-p1363' }, signature, 'base64url');
}

const incomplete = {
  outcome: 'rejected',
  scope: 'integration',
  reason: 'incomplete_integration',
  detail: 'The integration has no usable contact or no pair of keys.',
} as const;

const withoutKeys = {
  outcome: 'rejected',
  scope: 'recipient',
  reason: 'invalid_subscription',
  detail: 'The device has no usable keys of a web push subscription.',
} as const;

import { maskEndpoint } from '@belfry/shared';
import type { Static } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { DescribeCall, ProviderRequest, WebPushFacts } from '../channel';
import { buildWebPushPayload, type PushContent } from './template';
import { type WebPushIntegration, webPushPayload } from './web-push-integration';

export type BuildRequest = (
  call: DescribeCall<PushContent>,
  integration: WebPushIntegration,
  facts: WebPushFacts,
) => Promise<WebPushRequest>;

export type WebPushRequest = { headers: Record<string, string>; body: Buffer; ttl: number };

/** Four weeks: the longest that FCM keeps a message. */
const maxTtlSeconds = 2_419_200;

/** The request for a push service (RFC 8030, 8291, 8292), made by `web-push`, which is loaded with the first message. */
export const buildWebPushRequest: BuildRequest = async function buildWebPushRequest(
  call,
  { subject, publicKey, privateKey },
  { p256dh, auth, expiresAtMs },
) {
  const { default: library } = await import('web-push');
  const { topic, urgency, ttl: maxTtl = maxTtlSeconds } = getOptions(call);
  const secondsLeft = Math.floor((expiresAtMs - Date.now()) / 1_000);
  const ttl = Math.max(0, Math.min(secondsLeft, maxTtl));
  const { headers, body } = library.generateRequestDetails(
    { endpoint: call.target, keys: { p256dh, auth } },
    JSON.stringify(buildWebPushPayload(call.content, call.messageId)),
    {
      vapidDetails: { subject, publicKey, privateKey },
      contentEncoding: 'aes128gcm',
      TTL: ttl,
      ...{ topic, urgency },
    },
  );
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return { headers: Object.fromEntries(texts), body, ttl };
};

/**
 * The request as the log shows it; `ttl` once it is known. The endpoint is a capability URL
 * (RFC 8030, section 8.3), so its path is hidden.
 */
export function describeWebPush(call: DescribeCall<PushContent>, ttl?: number): ProviderRequest {
  const { topic, urgency, ttl: maxTtl } = getOptions(call);
  return {
    operation: `POST ${maskEndpoint(call.target)}`,
    body: {
      headers: { TTL: ttl ?? maxTtl, Urgency: urgency, Topic: topic },
      payload: buildWebPushPayload(call.content, call.messageId),
    },
  };
}

/** A resent message has the same topic, so it replaces the first one if that was not shown yet. */
function getOptions({
  messageId,
  payload,
}: DescribeCall<PushContent>): Static<typeof webPushPayload> {
  // Only known fields of the right type.
  const own = Value.Check(webPushPayload, payload) ? payload : {};
  // A UUID without hyphens has 32 characters, the most that a topic may have.
  const topic = messageId.replaceAll('-', '').slice(0, maxTopicCharacters);
  return { urgency: 'high', topic, ...own };
}

const maxTopicCharacters = 32;

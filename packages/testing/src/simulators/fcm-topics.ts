import type { HttpReply, HttpRequest } from './http-simulator';
import { parseObject } from './read-object';

/** The tokens of each topic. */
export type Topics = Map<string, Set<string>>;

const callPath = /^\/iid\/v1:batch(Add|Remove)$/;
const maxTokens = 1_000;

export function isTopicCall({ method, path }: HttpRequest): boolean {
  return method === 'POST' && callPath.test(path);
}

/**
 * Google's Instance ID API, limited to relations of many tokens to one topic
 * (developers.google.com/instance-id/reference/server).
 */
export function changeTopic(
  { path, headers, body }: HttpRequest,
  { topics, unregistered }: { topics: Topics; unregistered: ReadonlySet<string> },
): HttpReply {
  const { to, registration_tokens: tokens } = parseObject(body) ?? {};
  const [, topic] = /^\/topics\/([A-Za-z0-9\-_.~%]{1,900})$/.exec(String(to)) ?? [];
  const isList = Array.isArray(tokens) && tokens.length > 0 && tokens.length <= maxTokens;
  if (headers['access_token_auth'] !== 'true' || topic === undefined || !isList) {
    return { status: 400, body: { error: 'InvalidArgument' } };
  }
  const members = topics.get(topic) ?? new Set();
  topics.set(topic, members);
  const results = tokens.map(String).map((token) => {
    if (unregistered.has(token)) return { error: 'NOT_FOUND' };
    if (callPath.exec(path)?.[1] === 'Add') members.add(token);
    else members.delete(token);
    return {};
  });
  return { body: { results } };
}

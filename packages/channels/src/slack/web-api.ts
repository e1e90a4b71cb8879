import { type Static, Type } from '@sinclair/typebox';
import type {
  ConnectionTestResult,
  DescribeCall,
  Provider,
  ProviderRequest,
  SendCall,
  Sender,
  SenderDeps,
  SendResult,
  TestCall,
} from '../channel';
import { showsLastFour } from '../credential-marks';
import { createHttp } from '../http';
import { maxPerSecondSetting } from '../rate';
import { createSlackApi, type SlackAccess, type SlackReply } from './api';
import { createDirectChannels, type Person } from './direct-channels';
import { parseSlackTarget, type SlackTarget } from './target';
import type { SlackContent } from './template';

const filledBySlack =
  'Slack’s events identify the integration by it. Add to Slack sets it, if this server has a Slack app.';

const slackSettings = Type.Object({
  max_per_second: maxPerSecondSetting(),
  team_id: Type.Optional(
    Type.String({ title: 'Workspace', description: filledBySlack, maxLength: 64 }),
  ),
  app_id: Type.Optional(Type.String({ title: 'App', description: filledBySlack, maxLength: 64 })),
  bot_user_id: Type.Optional(
    Type.String({ title: 'Bot user', description: filledBySlack, maxLength: 64 }),
  ),
});

const slackCredentials = Type.Object({
  access_token: Type.Optional(
    Type.String({
      title: 'Bot token',
      description: 'xoxb-…; may be empty when every recipient brings a token.',
      maxLength: 512,
      ...showsLastFour,
    }),
  ),
});

const slackPayload = Type.Object({
  thread_ts: Type.Optional(Type.String({ title: 'Thread', pattern: '^\\d+\\.\\d+$' })),
  reply_broadcast: Type.Optional(Type.Boolean({ title: 'Also show the reply in the channel' })),
  unfurl_links: Type.Optional(Type.Boolean({ title: 'Unfurl links' })),
  unfurl_media: Type.Optional(Type.Boolean({ title: 'Unfurl media' })),
  username: Type.Optional(Type.String({ title: 'Displayed sender name', maxLength: 80 })),
  icon_emoji: Type.Optional(Type.String({ title: 'Icon', pattern: '^:[a-z0-9_+-]{1,100}:$' })),
  icon_url: Type.Optional(
    Type.String({ title: 'Icon URL', pattern: '^https://', maxLength: 2_000 }),
  ),
});

export const slackWebApi: Provider<SlackContent> = {
  label: 'Slack',
  settings: slackSettings,
  credentials: slackCredentials,
  payload: slackPayload,
  check({ credentials }) {
    const { access_token: token } = readCredentials(credentials);
    if (!token || botToken.test(token)) return [];
    return ['access_token must be a bot or user token (xoxb-…, xoxp-…)'];
  },
  describe: describeSlack,
  createSender: createSlackSender,
};

const botToken = /^(xoxe\.)?xox[bp]-[A-Za-z0-9-]{10,}$/;
/** Any token from a call is accepted if it fits into a header. */
const headerSafe = /^[\x21-\x7e]{1,512}$/;

function createSlackSender({ baseUrls }: SenderDeps): Sender<SlackContent> {
  const http = createHttp();
  const api = createSlackApi({ http, url: baseUrls['slack'] });
  const people = createDirectChannels(api);

  async function send(call: SendCall<SlackContent>): Promise<SendResult> {
    const token = call.ownToken ?? readCredentials(call.credentials).access_token;
    if (!token) return { outcome: noToken };
    if (!headerSafe.test(token)) return blameToken({ outcome: malformedToken }, call);
    const access: SlackAccess = { token, signal: call.signal };
    return blameToken(await deliver(call, access), call);
  }

  async function deliver(call: SendCall<SlackContent>, access: SlackAccess): Promise<SendResult> {
    let reply: SlackReply = { failure: noTarget, code: undefined, response: {} };
    for (const destination of listDestinations(parseSlackTarget(call.target))) {
      const isChannel = typeof destination === 'string';
      reply = await (isChannel
        ? post(destination, call, access)
        : toPerson(destination, call, access));
      if (!isNotFound(reply)) break;
    }
    return finish(reply);
  }

  async function toPerson(
    person: Person,
    call: SendCall<SlackContent>,
    access: SlackAccess,
  ): Promise<SlackReply> {
    const opened = await people.find(person, access);
    if ('failure' in opened) return opened;
    const reply = await post(opened.channel, call, access);
    if ('failure' in reply && isAboutPerson(reply)) people.forget(person, access);
    return reply;
  }

  function post(
    channel: string,
    call: SendCall<SlackContent>,
    access: SlackAccess,
  ): Promise<SlackReply> {
    return api.call('chat.postMessage', { channel, ...buildMessage(call) }, access);
  }

  async function test({ credentials, signal }: TestCall): Promise<ConnectionTestResult> {
    const token = readCredentials(credentials).access_token;
    if (!token) return { isWorking: true, detail: 'Every recipient must bring a token.' };
    if (!headerSafe.test(token)) return { isWorking: false, detail: malformedToken.detail };
    const reply = await api.call('auth.test', {}, { token, signal });
    if ('failure' in reply) {
      return { isWorking: false, detail: reply.failure.detail ?? reply.failure.reason };
    }
    const { team, user } = reply.body;
    return { isWorking: true, detail: `Slack identifies the token as ${user} of ${team}.` };
  }

  return {
    send,
    test,
    async close() {
      http.close();
    },
  };
}

function readCredentials(credentials: Record<string, unknown>): Static<typeof slackCredentials> {
  const token = credentials['access_token'];
  return typeof token === 'string' && token !== '' ? { access_token: token } : {};
}

const noToken = {
  outcome: 'rejected',
  scope: 'integration',
  skip: 'no_integration',
  // A missing token concerns only this recipient: others may bring one.
  sparesIntegration: true,
  reason: 'no_token',
  detail: 'Neither the call, nor the user, nor the integration has a token.',
} as const;

const malformedToken = {
  outcome: 'rejected',
  scope: 'integration',
  reason: 'malformed_token',
  detail: 'The token has spaces or control characters.',
} as const;

const noTarget = {
  outcome: 'rejected',
  scope: 'recipient',
  reason: 'no_target',
  detail: 'The target is not a channel, a user or an e-mail address.',
} as const;

function isAboutPerson(reply: Extract<SlackReply, { failure: unknown }>): boolean {
  return reply.failure.outcome === 'rejected' && reply.failure.scope === 'recipient';
}

/** The destinations to try, best first. */
function listDestinations({ conversationId, userId, email }: SlackTarget): (string | Person)[] {
  return [
    ...(conversationId ? [conversationId] : []),
    ...(userId ? [{ userId }] : []),
    ...(email ? [{ email }] : []),
  ];
}

const notFoundCodes = ['channel_not_found', 'user_not_found', 'users_not_found'];

/**
 * Only a destination that is not found has a fallback; one that refuses the message was reached.
 */
function isNotFound(reply: SlackReply): boolean {
  return 'failure' in reply && reply.code !== undefined && notFoundCodes.includes(reply.code);
}

/** An error of a token from the call or the user concerns only this message. */
function blameToken(result: SendResult, { ownToken }: SendCall<SlackContent>): SendResult {
  const { outcome } = result;
  if (ownToken !== undefined && outcome.outcome === 'retry') {
    const { slows: _, ...rest } = outcome;
    return { ...result, outcome: rest };
  }
  if (ownToken === undefined || outcome.outcome !== 'rejected') return result;
  if (outcome.scope !== 'integration') return result;
  return { ...result, outcome: { ...outcome, sparesIntegration: true } };
}

function finish(reply: SlackReply): SendResult {
  if ('failure' in reply) return { outcome: reply.failure, response: reply.response };
  const { channel, ts } = reply.body;
  if (typeof channel !== 'string' || typeof ts !== 'string') return { outcome: noReceipt };
  return {
    outcome: { outcome: 'accepted', providerMessageId: `${channel}:${ts}` },
    response: { ok: true, channel, ts },
  };
}

const noReceipt = {
  outcome: 'unknown',
  reason: 'unreadable_answer',
  detail: 'Slack returned success without the message’s id.',
} as const;

/** The message carries its ID, so that a duplicate can be recognized. */
function buildMessage(call: DescribeCall<SlackContent>): Record<string, unknown> {
  const { content, messageId, payload } = call;
  const { text, blocks, linkPreview } = content;
  return {
    text,
    ...(blocks ? { blocks } : {}),
    ...(linkPreview === undefined ? {} : { unfurl_links: linkPreview, unfurl_media: linkPreview }),
    ...payload,
    metadata: { event_type: 'notification', event_payload: { message_id: messageId } },
  };
}

function describeSlack(call: DescribeCall<SlackContent>): ProviderRequest {
  return {
    operation: 'POST https://slack.com/api/chat.postMessage',
    body: { ...describeTarget(parseSlackTarget(call.target)), ...buildMessage(call) },
  };
}

function describeTarget({ conversationId, userId, email }: SlackTarget): Record<string, string> {
  const channel = conversationId ?? userId;
  return { ...(channel ? { channel } : {}), ...(email ? { email } : {}) };
}

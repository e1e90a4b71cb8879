import type {
  DescribeCall,
  Provider,
  ProviderRequest,
  SendCall,
  Sender,
  SenderDeps,
  SendResult,
  TestCall,
  Tested,
} from '../channel';
import { createHttp } from '../http';
import type { Unanswered } from '../network-failure';
import { signalWithin } from '../signal-within';
import {
  codeOf,
  createTwilioApi,
  type TwilioApi,
  type TwilioFields,
  type TwilioReply,
  twilioHost,
  unreadable,
} from './api';
import { changesOf, sortTwilio, sparesIntegration } from './codes';
import { findLostMessage } from './find-lost';
import {
  authTokenOf,
  checkTwilio,
  createTwilioSettings,
  readTwilioAccess,
  twilioCredentials,
} from './integration';
import { twilioPayload } from './payload';
import { createTwilioReceipts } from './receipts';
import { requestOf, type TwilioKind, type TwilioRequest } from './request';

export function createTwilioProvider<Content>(kind: TwilioKind<Content>): Provider<Content> {
  return {
    label: 'Twilio',
    settings: createTwilioSettings(kind.senderHint, kind.rate?.perSecond),
    ...(kind.rate ? { rate: kind.rate } : {}),
    credentials: twilioCredentials,
    payload: twilioPayload,
    check: (integration) => checkTwilio(integration, kind.senders, kind.senderHint),
    describe: (call) => describeTwilio(kind, call),
    createSender: (deps) => createTwilioSender(kind, deps),
    receipts: createTwilioReceipts(kind.scheme),
  };
}

function createTwilioSender<Content>(
  kind: TwilioKind<Content>,
  { baseUrls }: SenderDeps,
): Sender<Content> {
  const http = createHttp();
  const api = createTwilioApi({ http, url: baseUrls['twilio'] });
  return {
    send: (call) => send(kind, api, call),
    test: (call) => testTwilio(api, call),
    async close() {
      http.close();
    },
  };
}

async function send<Content>(
  kind: TwilioKind<Content>,
  api: TwilioApi,
  call: SendCall<Content>,
): Promise<SendResult> {
  const access = readTwilioAccess(call.credentials);
  if (!access) return { outcome: noCredentials };
  const request = requestOf(kind, call);
  if ('refused' in request) return { outcome: request.refused };
  const fields = { ...request.fields, ...statusCallbackOf(call) };
  const startedAtMs = performance.now();
  const { signal, clear } = signalWithin(call.signal, answerTimeoutMs);
  const reply = await api.createMessage(fields, { access, signal }).finally(clear);
  const result = finish(reply, request);
  if (result.outcome.outcome !== 'unknown') return result;
  const elapsedMs = performance.now() - startedAtMs;
  const sid = await findLostMessage(api, { fields, elapsedMs }, { access, signal: call.signal });
  return sid ? { ...result, outcome: foundOf(sid) } : result;
}

/** Within the attempt's deadline, so that there is time left to ask what became of a message. */
const answerTimeoutMs = 10_000;

const noCredentials: Unanswered = {
  outcome: 'rejected',
  scope: 'integration',
  reason: 'no_credentials',
  detail: 'The integration has no whole set of Twilio credentials.',
};

function foundOf(providerMessageId: string) {
  return {
    outcome: 'accepted',
    providerMessageId,
    detail: 'The answer was lost, and Twilio lists the message.',
  } as const;
}

/** Asked for only where its receipts can be told from anybody's. */
function statusCallbackOf({ receiptUrl, credentials }: SendCall<unknown>): TwilioFields {
  return receiptUrl && authTokenOf(credentials) ? { StatusCallback: receiptUrl } : {};
}

function finish(reply: TwilioReply, request: TwilioRequest): SendResult {
  if ('refused' in reply) return refuse(reply, request);
  const { body, response } = reply;
  const refusal = refusalIn(body);
  if (refusal) return refuse({ ...refusal, response }, request);
  const { sid } = body;
  if (typeof sid !== 'string' || sid === '') return { outcome: unreadable, response };
  return { outcome: { outcome: 'accepted', providerMessageId: sid }, response };
}

type Refusal = Extract<TwilioReply, { refused: Unanswered }>;

function refuse(
  { refused, code, response }: Refusal,
  { sender, isOwnSender }: TwilioRequest,
): SendResult {
  const changes = changesOf(code, sender);
  return {
    outcome: spare(refused, code, isOwnSender),
    response,
    ...(changes.length > 0 ? { changes } : {}),
  };
}

/** A message may be made and have failed already. */
function refusalIn(body: Record<string, unknown>): Omit<Refusal, 'response'> | undefined {
  const { status, error_code } = body;
  if (status !== 'failed' && status !== 'undelivered') return undefined;
  const code = codeOf(error_code);
  return { refused: sortTwilio(code, { status: 400, headers: {} }), code };
}

function spare(refused: Unanswered, code: number | undefined, isOwnSender: boolean): Unanswered {
  return refused.outcome === 'rejected' && sparesIntegration(code, isOwnSender)
    ? { ...refused, ownToken: true }
    : refused;
}

function describeTwilio<Content>(
  kind: TwilioKind<Content>,
  call: DescribeCall<Content>,
): ProviderRequest {
  const request = requestOf(kind, call);
  return {
    operation: `POST ${twilioHost}/2010-04-01/Accounts/{account_sid}/Messages.json`,
    body: 'fields' in request ? request.fields : { To: kind.scheme + call.target },
  };
}

async function testTwilio(api: TwilioApi, { credentials, signal }: TestCall): Promise<Tested> {
  const access = readTwilioAccess(credentials);
  if (!access) return { isWorking: false, detail: noCredentials.detail ?? '' };
  const reply = await api.fetchAccount({ access, signal });
  if ('refused' in reply) {
    return { isWorking: false, detail: reply.refused.detail ?? reply.refused.reason };
  }
  const { status } = reply.body;
  if (status === 'active')
    return { isWorking: true, detail: 'Twilio says that the account is active.' };
  const named =
    typeof status === 'string' && /^[a-z]{1,20}$/.test(status) ? status : 'of no status';
  return { isWorking: false, detail: `Twilio says that the account is ${named}.` };
}

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
import { createHttp } from '../http';
import type { FailedOutcome } from '../network-failure';
import { signalWithin } from '../signal-within';
import {
  createTwilioApi,
  parseErrorCode,
  type TwilioApi,
  type TwilioFields,
  type TwilioReply,
  twilioHost,
  unreadable,
} from './api';
import { classifyTwilioError, getContactUpdates, sparesIntegration } from './classify-error';
import { findLostMessage } from './find-lost';
import {
  checkTwilio,
  createTwilioSettings,
  getAuthToken,
  readTwilioAccess,
  twilioCredentials,
} from './integration';
import { twilioPayload } from './payload';
import { createTwilioReceipts } from './receipts';
import { createTwilioRequest, type TwilioKind, type TwilioRequest } from './request';

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
  const request = createTwilioRequest(kind, call);
  if ('failure' in request) return { outcome: request.failure };
  const fields = { ...request.fields, ...buildStatusCallback(call) };
  const startedAtMs = performance.now();
  const { signal, clear } = signalWithin(call.signal, answerTimeoutMs);
  const reply = await api.createMessage(fields, { access, signal }).finally(clear);
  const result = finish(reply, request);
  if (result.outcome.outcome !== 'unknown') return result;
  const elapsedMs = performance.now() - startedAtMs;
  const sid = await findLostMessage(api, { fields, elapsedMs }, { access, signal: call.signal });
  return sid ? { ...result, outcome: toListedOutcome(sid) } : result;
}

/** Shorter than the attempt's deadline, to leave time for finding a lost message. */
const answerTimeoutMs = 10_000;

const noCredentials: FailedOutcome = {
  outcome: 'rejected',
  scope: 'integration',
  reason: 'no_credentials',
  detail: 'The integration’s Twilio credentials are incomplete.',
};

function toListedOutcome(providerMessageId: string) {
  return {
    outcome: 'accepted',
    providerMessageId,
    detail: 'The response was lost, but Twilio lists the message.',
  } as const;
}

/** Requested only when the signature of receipts can be checked. */
function buildStatusCallback({ receiptUrl, credentials }: SendCall<unknown>): TwilioFields {
  return receiptUrl && getAuthToken(credentials) ? { StatusCallback: receiptUrl } : {};
}

function finish(reply: TwilioReply, request: TwilioRequest): SendResult {
  if ('failure' in reply) return refuse(reply, request);
  const { body, response } = reply;
  const refusal = findRefusal(body);
  if (refusal) return refuse({ ...refusal, response }, request);
  const { sid } = body;
  if (typeof sid !== 'string' || sid === '') return { outcome: unreadable, response };
  return { outcome: { outcome: 'accepted', providerMessageId: sid }, response };
}

type Refusal = Extract<TwilioReply, { failure: FailedOutcome }>;

function refuse(
  { failure, code, response }: Refusal,
  { sender, isOwnSender }: TwilioRequest,
): SendResult {
  const changes = getContactUpdates(code, sender);
  return {
    outcome: spare(failure, code, isOwnSender),
    response,
    ...(changes.length > 0 ? { changes } : {}),
  };
}

/** A message may be created and already have failed. */
function findRefusal(body: Record<string, unknown>): Omit<Refusal, 'response'> | undefined {
  const { status, error_code } = body;
  if (status !== 'failed' && status !== 'undelivered') return undefined;
  const code = parseErrorCode(error_code);
  return { failure: classifyTwilioError(code, { status: 400, headers: {} }), code };
}

function spare(
  failure: FailedOutcome,
  code: number | undefined,
  isOwnSender: boolean,
): FailedOutcome {
  return failure.outcome === 'rejected' && sparesIntegration(code, isOwnSender)
    ? { ...failure, sparesIntegration: true }
    : failure;
}

function describeTwilio<Content>(
  kind: TwilioKind<Content>,
  call: DescribeCall<Content>,
): ProviderRequest {
  const request = createTwilioRequest(kind, call);
  return {
    operation: `POST ${twilioHost}/2010-04-01/Accounts/{account_sid}/Messages.json`,
    body: 'fields' in request ? request.fields : { To: kind.scheme + call.target },
  };
}

async function testTwilio(
  api: TwilioApi,
  { credentials, signal }: TestCall,
): Promise<ConnectionTestResult> {
  const access = readTwilioAccess(credentials);
  if (!access) return { isWorking: false, detail: noCredentials.detail ?? '' };
  const reply = await api.fetchAccount({ access, signal });
  if ('failure' in reply) {
    return { isWorking: false, detail: reply.failure.detail ?? reply.failure.reason };
  }
  const { status } = reply.body;
  if (status === 'active')
    return { isWorking: true, detail: 'Twilio reports the account as active.' };
  const statusText =
    typeof status === 'string' && /^[a-z]{1,20}$/.test(status) ? status : 'without a status';
  return { isWorking: false, detail: `Twilio reports the account as ${statusText}.` };
}

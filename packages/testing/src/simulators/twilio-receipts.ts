import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import twilio from 'twilio';

/** The fields of a sent message that a receipt repeats, and where to post it. */
type ReportedMessage = {
  sid: string;
  accountSid: string;
  to: string;
  /** The number, or the messaging service. */
  from: string;
  statusCallback?: string;
};

export type TwilioReceipt = {
  status: string;
  errorCode?: number;
  /** Delay in ms. */
  afterMs?: number;
  /** How often it is posted. */
  times?: number;
  /** `wrong` signs with another token, `none` does not sign. */
  signature?: 'right' | 'wrong' | 'none';
  /** The URL to post to if the public address is not reachable from here; the public one is signed. */
  origin?: string;
};

/** A message of a person to our sender. */
export type TwilioReply = Pick<TwilioReceipt, 'times' | 'signature' | 'origin'> & {
  /** The registered URL of the number or messaging service. */
  url: string;
  from: string;
  to: string;
  body: string;
  sid?: string;
  /** Further fields, such as OptOutType. */
  fields?: Record<string, string>;
};

const timeoutMs = 10_000;
const wrongToken = 'f'.repeat(32);

/** The status of the last answer; receipts may be posted in any order. */
export async function postTwilioReceipt(
  { send, authToken }: { send: ReportedMessage; authToken: string },
  receipt: TwilioReceipt,
): Promise<number> {
  const url = send.statusCallback;
  if (url === undefined) throw new Error('The message was sent without a StatusCallback');
  if (receipt.afterMs) await wait(receipt.afterMs);
  const { status } = await post({ url, authToken, params: buildParams(send, receipt) }, receipt);
  return status;
}

export type TwilioAnswer = { status: number; type: string; body: string };

/** Posts a message of a person, with the fields of twilio.com/docs/messaging/guides/webhook-request. Returns the last answer. */
export async function postTwilioReply(
  { accountSid, authToken }: { accountSid: string; authToken: string },
  { sid = `SM${randomBytes(16).toString('hex')}`, ...reply }: TwilioReply,
): Promise<TwilioAnswer> {
  const params = {
    ...{ ToCountry: 'DK', SmsMessageSid: sid, NumMedia: '0', SmsSid: sid, SmsStatus: 'received' },
    ...{ Body: reply.body, To: reply.to, NumSegments: '1', MessageSid: sid },
    ...{ AccountSid: accountSid, From: reply.from, ApiVersion: '2010-04-01', ...reply.fields },
  };
  return post({ url: reply.url, authToken, params }, reply);
}

type SignedPost = { url: string; authToken: string; params: Record<string, string> };

async function post(
  { url, authToken, params }: SignedPost,
  { times = 1, signature = 'right', origin }: Pick<TwilioReceipt, 'times' | 'signature' | 'origin'>,
): Promise<TwilioAnswer> {
  let last = { status: 0, type: '', body: '' };
  for (let count = 0; count < times; count += 1) {
    const answer = await fetch(resolveUrl(url, origin), {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
        ...buildSignatureHeaders(signature, { authToken, url, params }),
      },
      body: new URLSearchParams(params).toString(),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const body = await answer.text();
    last = { status: answer.status, type: answer.headers.get('content-type') ?? '', body };
  }
  return last;
}

function buildParams(
  { sid, accountSid, to, from }: ReportedMessage,
  { status, errorCode }: TwilioReceipt,
): Record<string, string> {
  return {
    SmsSid: sid,
    SmsStatus: status,
    MessageSid: sid,
    MessageStatus: status,
    To: to,
    ...(from.startsWith('MG') ? { MessagingServiceSid: from } : { From: from }),
    AccountSid: accountSid,
    ApiVersion: '2010-04-01',
    ...(errorCode ? { ErrorCode: String(errorCode) } : {}),
  };
}

function resolveUrl(url: string, origin: string | undefined): string {
  const { pathname, search } = new URL(url);
  return origin ? origin + pathname + search : url;
}

/** Signed by Twilio's own library, so that our verification is tested against it. */
function buildSignatureHeaders(
  kind: NonNullable<TwilioReceipt['signature']>,
  { authToken, url, params }: SignedPost,
): Record<string, string> {
  if (kind === 'none') return {};
  const key = kind === 'wrong' ? wrongToken : authToken;
  return { 'x-twilio-signature': twilio.getExpectedTwilioSignature(key, url, params) };
}

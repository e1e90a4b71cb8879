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
  const params = buildParams(send, receipt);
  let status = 0;
  for (let count = 0; count < (receipt.times ?? 1); count += 1) {
    const answer = await fetch(resolveUrl(url, receipt.origin), {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
        ...buildSignatureHeaders(receipt.signature ?? 'right', { authToken, url, params }),
      },
      body: new URLSearchParams(params).toString(),
      signal: AbortSignal.timeout(timeoutMs),
    });
    await answer.arrayBuffer();
    status = answer.status;
  }
  return status;
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
  { authToken, url, params }: { authToken: string; url: string; params: Record<string, string> },
): Record<string, string> {
  if (kind === 'none') return {};
  const key = kind === 'wrong' ? wrongToken : authToken;
  return { 'x-twilio-signature': twilio.getExpectedTwilioSignature(key, url, params) };
}

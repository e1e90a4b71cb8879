import type { ReceiptState } from '@belfry/shared';
import type { LocalReceiptReader, ReceiptCall, ReceiptReport } from '../channel';
import { parseErrorCode } from './api';
import { getContactUpdates, getRefusalReason, getSentence } from './classify-error';
import { getAuthToken, getSender } from './integration';
import { readTwilioReplies } from './replies';
import { getSuppressionSender, listUsedSenders } from './sender';
import { buildSignedText, isSignedBy } from './signature';

/**
 * Twilio's posts to the StatusCallback of a message and about messages of people to the sender,
 * signed with the account's auth token.
 */
export function createTwilioReceipts(scheme: string): LocalReceiptReader {
  return {
    read(call) {
      const authToken = getAuthToken(call.credentials);
      const params = new URLSearchParams(call.rawBody.toString('utf8'));
      if (!authToken || !isSignedBy(authToken, call, params)) return undefined;
      const state = states.get(params.get('MessageStatus') ?? params.get('SmsStatus') ?? '');
      return state ? [createReport(state, { call, params, scheme })] : [];
    },
    readReplies: (call) => readTwilioReplies(call, scheme),
    answer: { type: 'text/xml; charset=utf-8', body: emptyTwiml },
  };
}

/** Twilio itself answers keywords such as STOP, so we send no message. */
const emptyTwiml = '<?xml version="1.0" encoding="UTF-8"?><Response></Response>';

/** Unlisted statuses are ignored: they belong to incoming messages, or are new. */
const states = new Map<string, ReceiptState>([
  ['accepted', 'queued'],
  ['scheduled', 'queued'],
  ['queued', 'queued'],
  ['sending', 'queued'],
  ['sent', 'sent'],
  ['delivered', 'delivered'],
  ['read', 'read'],
  ['undelivered', 'failed'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
]);

type Receipt = { call: ReceiptCall; params: URLSearchParams; scheme: string };

function createReport(state: ReceiptState, receipt: Receipt): ReceiptReport {
  const { call, params } = receipt;
  const messageId = new URL(call.url).searchParams.get('message');
  const sid = params.get('MessageSid') ?? params.get('SmsSid');
  const code = parseErrorCode(params.get('ErrorCode') ?? '');
  return {
    state,
    // Does not depend on the order of the fields, which is not signed.
    identity: buildSignedText(params),
    ...(messageId ? { messageId } : {}),
    ...(sid ? { providerMessageId: sid } : {}),
    ...(code === undefined ? {} : { errorCode: String(code), detail: getSentence(code) }),
    ...(state === 'failed' ? getFailureFields(code, receipt) : {}),
  };
}

function getFailureFields(
  code: number | undefined,
  { call, params, scheme }: Receipt,
): Pick<ReceiptReport, 'reason' | 'changes'> {
  const reason = getRefusalReason(code);
  const sender = getSuppressionSender(
    listUsedSenders(params, { field: 'From', scheme }),
    getSender(call.settings),
  );
  const changes = getContactUpdates(code, sender);
  return {
    ...(reason ? { reason } : {}),
    ...(changes.length > 0 ? { changes } : {}),
  };
}

import type { ReceiptCall, Reply, ReplyWish } from '../channel';
import { parsePhoneNumber } from '../phone-number';
import { readKeyword } from '../replies';
import { getSender } from './integration';
import { getSuppressionSender, listUsedSenders } from './sender';

/**
 * The wish in a message of a person to our sender, which Twilio posts to the URL of the number or
 * messaging service (twilio.com/docs/messaging/guides/webhook-request). It has no time.
 */
export function readTwilioReplies(
  { rawBody, settings }: Pick<ReceiptCall, 'rawBody' | 'settings'>,
  scheme: string,
): Reply[] {
  const params = new URLSearchParams(rawBody.toString('utf8'));
  const from = params.get('From') ?? '';
  const sid = params.get('MessageSid');
  // A status of our own message has a MessageStatus, and our sender in From.
  if (!sid || params.has('MessageStatus') || !from.startsWith(`${scheme}+`)) return [];
  const parsed = parsePhoneNumber(from.slice(scheme.length));
  const wish = readWish(params);
  if (!wish || !('address' in parsed)) return [];
  const senders = listUsedSenders(params, { field: 'To', scheme });
  const sender = getSuppressionSender(senders, getSender(settings));
  return [{ wish, address: parsed.address, sender, identity: sid }];
}

/**
 * With Advanced Opt-Out, Twilio compares the keywords itself, in any language, and names the result
 * (help.twilio.com, "Getting Started with Advanced Opt-Out for Messaging Services"). The button of
 * a WhatsApp template has a payload beside its text.
 */
function readWish(params: URLSearchParams): ReplyWish | undefined {
  const type = params.get('OptOutType');
  if (type) return optOutTypes.get(type.toUpperCase());
  return readKeyword(params.get('Body') ?? '') ?? readKeyword(params.get('ButtonPayload') ?? '');
}

/** HELP changes nothing. */
const optOutTypes = new Map<string, ReplyWish>([
  ['STOP', 'stop'],
  ['START', 'start'],
]);

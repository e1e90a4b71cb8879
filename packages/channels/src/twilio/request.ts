import type { DescribeCall } from '../channel';
import type { FailedOutcome } from '../network-failure';
import type { ProviderRate } from '../rate';
import type { TwilioFields } from './api';
import { getSender } from './integration';
import { getSuppressionSender, parseTwilioSender, type SenderKind } from './sender';

/** How one channel uses Twilio. */
export type TwilioKind<Content> = {
  /** The prefix of numbers in Twilio's addresses. */
  scheme: '' | 'whatsapp:';
  senders: readonly SenderKind[];
  senderHint: string;
  /** The channel's rate limits, besides Twilio's own queue. */
  rate?: ProviderRate;
  /** The content's part of the request, and the sender that the call named. */
  read(content: Content): TwilioContent | { failure: FailedOutcome };
};

export type TwilioContent = {
  message: { Body: string } | { ContentSid: string; ContentVariables?: string };
  sender?: string;
};

export type TwilioRequest = {
  fields: TwilioFields;
  /** The sender as suppressions name it. */
  sender: string;
  isOwnSender: boolean;
};

/** The request without its StatusCallback, or why there is none. */
export function createTwilioRequest<Content>(
  kind: TwilioKind<Content>,
  { target, content, settings, payload }: DescribeCall<Content>,
): TwilioRequest | { failure: FailedOutcome } {
  const read = kind.read(content);
  if ('failure' in read) return read;
  const isOwnSender = read.sender !== undefined;
  const sender = parseTwilioSender(read.sender ?? getSender(settings));
  if (!sender || !kind.senders.includes(sender.kind)) {
    return { failure: isOwnSender ? badOwnSender(kind.senderHint) : badSender };
  }
  // Twilio reports a malformed recipient as a wrong sender.
  if (!/^\+[1-9]\d{6,14}$/.test(target)) return { failure: badTarget };
  if (sender.value === target) return { failure: toItself };
  const from =
    sender.kind === 'service'
      ? { MessagingServiceSid: sender.value }
      : { From: kind.scheme + sender.value };
  return {
    fields: { To: kind.scheme + target, ...from, ...read.message, ...toFields(payload) },
    sender: getSuppressionSender([sender.value], getSender(settings)),
    isOwnSender,
  };
}

const badTarget: FailedOutcome = {
  outcome: 'rejected',
  scope: 'recipient',
  reason: 'no_target',
  detail: 'The target is not a number with its country code.',
};

const toItself: FailedOutcome = {
  outcome: 'rejected',
  scope: 'recipient',
  reason: '21266',
  detail: 'The recipient is the sender itself.',
};

const badSender: FailedOutcome = {
  outcome: 'rejected',
  scope: 'integration',
  reason: 'no_sender',
  detail: 'The integration has no valid sender for Twilio.',
};

function badOwnSender(hint: string): FailedOutcome {
  return {
    outcome: 'rejected',
    scope: 'content',
    reason: 'bad_sender',
    detail: `The call’s sender must be one of: ${hint}`,
  };
}

/** Contains only what the payload schema allows. */
function toFields(payload: Record<string, unknown> = {}): TwilioFields {
  return Object.fromEntries(
    Object.entries(payload).flatMap(([name, value]): [string, TwilioFields[string]][] => {
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
        return [[name, value]];
      }
      return Array.isArray(value) ? [[name, value.map(String)]] : [];
    }),
  );
}

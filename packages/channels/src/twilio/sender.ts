import { parsePhoneNumber } from '../phone-number';

export type SenderKind = 'number' | 'short_code' | 'name' | 'service';

export type TwilioSender = { kind: SenderKind; value: string };

/** A sender in Twilio's form. Numbers may be written as the console shows them. */
export function parseTwilioSender(text: string): TwilioSender | undefined {
  // Each message parses its sender four times, there are few senders, and parsing costs more than
  // the rest of a message.
  if (senderCache.has(text)) return senderCache.get(text);
  const sender = parseSender(text.trim());
  if (senderCache.size >= maxCachedSenders) senderCache.clear();
  senderCache.set(text, sender);
  return sender;
}

const senderCache = new Map<string, TwilioSender | undefined>();
const maxCachedSenders = 1_000;

function parseSender(text: string): TwilioSender | undefined {
  if (/^MG[0-9a-f]{32}$/i.test(text)) return { kind: 'service', value: text };
  if (/^\d{3,8}$/.test(text)) return { kind: 'short_code', value: text };
  if (/^(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11}$/.test(text)) return { kind: 'name', value: text };
  const parsed = parsePhoneNumber(text);
  return 'address' in parsed ? { kind: 'number', value: parsed.address } : undefined;
}

/**
 * The name of a sender in suppressions. If it is the integration's own sender, this is the spelling
 * in the settings, because suppressions are compared with them.
 */
export function getSuppressionSender(used: readonly string[], settingsSender: string): string {
  const own = parseTwilioSender(settingsSender)?.value;
  const isOwn =
    own !== undefined && used.some((sender) => sender.toUpperCase() === own.toUpperCase());
  return isOwn ? settingsSender : (used[0] ?? settingsSender);
}

/** Our number in a call of Twilio, then the messaging service that has the number. */
export function listUsedSenders(
  params: URLSearchParams,
  { field, scheme }: { field: 'From' | 'To'; scheme: string },
): string[] {
  const address = params.get(field) ?? '';
  const number = address.startsWith(scheme) ? address.slice(scheme.length) : address;
  return [number, params.get('MessagingServiceSid') ?? ''].filter((sender) => sender !== '');
}

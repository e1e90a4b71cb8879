import { listSearchedPhones } from '@belfry/channels';
import { isUuid } from '@belfry/shared';

/** One meaning of a searched text: `value` in stored form, and a `label` for operators. */
export type Reading = {
  kind: 'id' | 'providerMessage' | 'recipient' | 'event' | 'idempotencyKey' | 'metadata';
  value: string;
  label: string;
  /** The text looks like an address, not like a user ID or a name. */
  isAddress?: true;
};

const slackConversation = /^[CGD][A-Z0-9]{8,}$/i;
const slackUser = /^[UW][A-Z0-9]{8,}$/i;
const eventName = /^[\w.:-]{1,128}$/;

/** Every reading of a searched text, the most specific first. `region` is the app's default for phone numbers. */
export function listReadings(input: string, region: string | null): Reading[] {
  const text = input.trim();
  if (text === '') return [];
  const id = text.toLowerCase();
  const addresses = listAddresses(text, region);
  return [
    ...(isUuid(id)
      ? [{ kind: 'id', value: id, label: `request, message or resend ID ${id}` } as const]
      : []),
    ...addresses.map(({ value, what }): Reading => {
      return { kind: 'recipient', value, label: `${what} ${value}`, isAddress: true };
    }),
    ...(addresses.some(({ value }) => value === text)
      ? []
      : [{ kind: 'recipient', value: text, label: `user ID or address ${text}` } as const]),
    ...(/\s/.test(text) ? [] : [readProviderId(text)]),
    ...(eventName.test(text)
      ? [{ kind: 'event', value: text, label: `event ${text}` } as const]
      : []),
    { kind: 'idempotencyKey', value: text, label: `idempotency key ${text}` },
    ...(text.indexOf(':') > 0
      ? [{ kind: 'metadata', value: text, label: `metadata ${text}` } as const]
      : []),
  ];
}

/** A Message-ID is stored without the angle brackets that mail programs show. */
function readProviderId(text: string): Reading {
  const value = text.replace(/^<(.+)>$/, '$1');
  return { kind: 'providerMessage', value, label: `provider’s message ID ${value}` };
}

type Address = { value: string; what: string };

function listAddresses(text: string, region: string | null): Address[] {
  const phones = listSearchedPhones(text, region);
  if (phones.length > 0) return phones.map((value) => ({ value, what: 'phone number' }));
  const email = /^(?:mailto:)?<?([^\s<>@]+@[^\s<>@]+)>?$/i.exec(text)?.[1];
  if (email) return [{ value: email, what: 'e-mail address' }];
  if (slackConversation.test(text) && /\d/.test(text)) {
    return [{ value: text.toUpperCase(), what: 'Slack channel' }];
  }
  if (slackUser.test(text) && /\d/.test(text)) {
    return [{ value: text.toUpperCase(), what: 'Slack user' }];
  }
  if (/^[#@]\S+$/.test(text)) return [{ value: text, what: 'channel or chat name' }];
  if (!isUuid(text.toLowerCase())) return [];
  return [{ value: `subscription:${text.toLowerCase()}`, what: 'OneSignal' }];
}

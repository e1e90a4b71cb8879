import { channels } from '@belfry/channels';
import { maskEndpoint, recipientFromWire } from '@belfry/shared';

const extraFields = Object.values(channels).flatMap(({ recipient }) => Object.keys(recipient));

/** The addresses in a stored `user`, read as for its channels, and its user_id. */
export function listRecipientNames(stored: string | null): string[] {
  if (stored === null) return [];
  const recipient = recipientFromWire(JSON.parse(stored), extraFields);
  const { userId, preferences: _, ...addresses } = recipient;
  delete addresses.slack?.accessToken;
  return listTexts([addresses, userId]);
}

/** The address from the call, or the id of the stored user. */
export function describeRecipient(
  recipient: string | null,
  messages: readonly { target: string | null }[],
): string | null {
  const [name] = listRecipientNames(recipient);
  const target = messages[0]?.target ?? null;
  return name ?? (target === null ? null : maskEndpoint(target));
}

/** Every text in a value, in its order. */
function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(listTexts);
}

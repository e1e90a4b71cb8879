import { itemTokenPlace, type UserRow } from '@belfry/database';
import type { Secrets } from '@belfry/runtime';
import { type Recipient, recipientFromWire, type WireUser } from '@belfry/shared';

export type ItemAddress = { requestId: string; item: number };

/** The `user` of a call as it may be stored: its Slack token sealed to its item. */
export function sealToken(user: WireUser, secrets: Secrets, at: ItemAddress): WireUser {
  const token = user.slack?.access_token?.trim();
  if (!token) return user;
  const sealed = secrets.seal(token, itemTokenPlace(at.requestId, at.item));
  return { ...user, slack: { ...user.slack, access_token: sealed } };
}

/** The stored user's fields; a Slack token among them stays sealed. */
export function storedRecipient(user: UserRow, extraFields: readonly string[]): Recipient {
  // `contact` holds the user's fields in wire form, as the route that writes it checked them.
  const stored = recipientFromWire(user.contact as WireUser, extraFields);
  return user.devices.length > 0 ? { ...stored, devices: user.devices } : stored;
}

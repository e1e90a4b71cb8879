import { itemTokenPlace, type UserRow } from '@belfry/database';
import type { Secrets } from '@belfry/runtime';
import { type Recipient, recipientFromWire, type WireUser } from '@belfry/shared';

export type ItemAddress = { requestId: string; item: number };

/** Returns the request's `user` for storage, with the Slack token sealed to its item. */
export function sealToken(user: WireUser, secrets: Secrets, at: ItemAddress): WireUser {
  const token = user.slack?.access_token?.trim();
  if (!token) return user;
  const sealed = secrets.seal(token, itemTokenPlace(at.requestId, at.item));
  return { ...user, slack: { ...user.slack, access_token: sealed } };
}

/** Returns the stored user's fields; the Slack token stays sealed. */
export function storedRecipient(user: UserRow, extraFields: readonly string[]): Recipient {
  // The users route validated `contact`, which holds the user's fields in wire form.
  const stored = recipientFromWire(user.contact as WireUser, extraFields);
  return user.devices.length > 0 ? { ...stored, devices: user.devices } : stored;
}

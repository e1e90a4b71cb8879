import type { AnyChannel } from '@belfry/channels';
import { itemTokenPlace, type UserRow, userTokenPlace } from '@belfry/database';
import type { Secrets } from '@belfry/runtime';
import { type Recipient, recipientFromWire, type WireUser } from '@belfry/shared';
import type { ClaimedMessage } from './claim.sql';

/** Finds the message's own credential, decrypted: from the request, else from the stored user. */
export type FindOwnToken = (message: ClaimedMessage) => Promise<string | undefined>;

export type OwnTokenDeps = {
  channel: AnyChannel;
  secrets: Secrets;
  findUser(appId: string, userId: string): Promise<UserRow | undefined>;
  readStoredRecipient(user: UserRow): Recipient;
};

/** Undefined if the channel accepts no such credential. */
export function createFindOwnToken(deps: OwnTokenDeps): FindOwnToken | undefined {
  const { channel, secrets } = deps;
  if (!channel.findOwnToken) return undefined;

  return async function findOwnToken(message) {
    if (message.recipient === undefined) return undefined;
    // The gateway validated it before storing it.
    const recipient = recipientFromWire(JSON.parse(message.recipient) as WireUser, []);
    const sealed = channel.findOwnToken?.(recipient);
    if (sealed === undefined) return findStoredToken(deps, message.appId, recipient.userId);
    return secrets.open(sealed, itemTokenPlace(message.requestId, message.item));
  };
}

async function findStoredToken(
  { channel, secrets, findUser, readStoredRecipient }: OwnTokenDeps,
  appId: string,
  userId: string | undefined,
): Promise<string | undefined> {
  const user = userId === undefined ? undefined : await findUser(appId, userId);
  const sealed = user && channel.findOwnToken?.(readStoredRecipient(user));
  return user && sealed && secrets.open(sealed, userTokenPlace(user.id));
}

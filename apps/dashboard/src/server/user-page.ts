import { storedRecipient } from '@belfry/accepting';
import type { AnyChannel, AppDefaults } from '@belfry/channels';
import type {
  AppUserRow,
  ErasureRow,
  FoundUser,
  SuppressionRow,
  UserDeviceRow,
} from '@belfry/database';
import type { Recipient, RecipientDevice } from '@belfry/shared';
import type * as wire from '../api/users';
import { maskTokens } from './mask-tokens';
import { inPealOrder } from './peal';

type Channels = Record<string, AnyChannel>;

/** The stored user as a call that names nothing but the id would address them. */
export function recipientOf(
  user: AppUserRow,
  devices: readonly UserDeviceRow[],
  channels: Channels,
): Recipient {
  const known = devices.map(toRecipientDevice);
  const row = { id: user.sid, userId: user.userId, contact: user.contact, devices: known };
  return { ...storedRecipient(row, extraFieldsOf(channels)), userId: user.userId };
}

function toRecipientDevice(device: UserDeviceRow): RecipientDevice {
  const { sid, fcmToken, onesignalPlayerId, isDisabled, disabledReason } = device;
  const by = disabledReason === null ? 'by_client' : 'by_provider';
  return {
    id: sid,
    ...(fcmToken === null ? {} : { token: fcmToken }),
    ...(onesignalPlayerId === null ? {} : { onesignalPlayerId }),
    ...(isDisabled ? { disabled: by } : {}),
  };
}

function extraFieldsOf(channels: Channels): string[] {
  return Object.values(channels).flatMap((channel) => Object.keys(channel.recipient));
}

/** Each channel's addresses of a recipient, or why there is none, in the order of the peal. */
export function addressesOf(
  recipient: Recipient,
  channels: Channels,
  app: AppDefaults,
): wire.UserAddress[] {
  return inPealOrder(Object.keys(channels)).flatMap((channel): wire.UserAddress[] => {
    const found = channels[channel]?.findTargets(recipient, app);
    if (!found) return [];
    if ('skip' in found) return [{ channel, address: null, note: found.detail }];
    return found.targets.map(({ address, note = null }) => ({ channel, address, note }));
  });
}

/** What is nobody else's: addresses, but of groups, and the tokens of every device. */
export function ownAddressesOf(
  recipient: Recipient,
  channels: Channels,
  app: AppDefaults,
): string[] {
  // Also the devices that are switched off, and those that another address wins over.
  const devices = (recipient.devices ?? []).map(({ disabled: _, ...device }) => device);
  const reached = [recipient, { devices }]
    .flatMap((each) => addressesOf(each, channels, app))
    .flatMap(({ channel, address }) =>
      address === null || channels[channel]?.isShared?.(address) ? [] : [address],
    );
  return [...new Set(reached)];
}

/** A typed address in the form in which the channel stores it, or what is wrong with it. */
export function canonicalAddress(
  text: string,
  channel: AnyChannel,
  { channels, app }: { channels: Channels; app: AppDefaults },
): { address: string } | { problem: string } {
  const found = channel.findTargets(somebodyAt(text, channels), app);
  if ('skip' in found) return { problem: found.detail };
  const [target] = found.targets;
  return target ? { address: target.address } : { problem: 'is no address of this channel' };
}

/** Somebody whose every field is this text: a channel reads its own. */
function somebodyAt(text: string, channels: Channels): Recipient {
  const parts = text.split(' ');
  const slackEmail = parts.find((part) => part.includes('@'));
  const slackId = parts.find((part) => !part.includes('@'));
  return {
    userId: text,
    email: text,
    mobile: text,
    whatsappMobile: text,
    slack: {
      ...(slackId === undefined ? {} : { channelId: slackId }),
      ...(slackEmail === undefined ? {} : { email: slackEmail }),
    },
    telegram: { chatId: text },
    onesignalExternalId: text,
    fcmTokens: [text],
    extra: Object.fromEntries(extraFieldsOf(channels).map((name) => [name, text])),
  };
}

export function userRowOf(row: AppUserRow | FoundUser): wire.UserRow {
  const { sid, userId, contact, createdAt, updatedAt } = row;
  return {
    sid,
    userId,
    email: textOf(contact['email']),
    mobile: textOf(contact['mobile'] ?? contact['whatsapp_mobile']),
    matched: 'matched' in row ? row.matched : null,
    createdAt: createdAt.getTime(),
    updatedAt: updatedAt.getTime(),
  };
}

export function userAnswerOf(
  user: AppUserRow,
  devices: readonly UserDeviceRow[],
  more: Pick<wire.UserAnswer, 'addresses' | 'suppressions'>,
): wire.UserAnswer {
  const { preferences, ...contact } = maskTokens(user.contact) ?? {};
  return {
    sid: user.sid,
    userId: user.userId,
    createdAt: user.createdAt.getTime(),
    updatedAt: user.updatedAt.getTime(),
    contact,
    preferences: preferencesOf(preferences),
    devices: devices.map(({ fcmToken, createdAt, updatedAt, ...device }) => ({
      ...device,
      token: fcmToken,
      createdAt: createdAt.getTime(),
      updatedAt: updatedAt.getTime(),
    })),
    ...more,
  };
}

function preferencesOf(stored: unknown): wire.UserPreferences {
  const fields = membersOf(stored);
  const channels = membersOf(fields['channel_preferences']);
  return {
    locale: textOf(fields['locale']),
    isAllOff: fields['disabled'] === true,
    channelsOff: Object.keys(channels).filter(
      (channel) => membersOf(channels[channel])['disabled'] === true,
    ),
  };
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function suppressionOf(row: SuppressionRow): wire.SuppressionRow {
  const { createdAt, createdBy, sender, ...rest } = row;
  return { ...rest, sender: sender || null, addedBy: createdBy, at: createdAt.getTime() };
}

export function erasureOf(row: ErasureRow): wire.ErasureRow {
  const { id, userSid, messages, createdBy, createdAt, finishedAt } = row;
  return {
    id,
    userSid,
    messages,
    erasedBy: createdBy,
    at: createdAt.getTime(),
    finishedAt: finishedAt?.getTime() ?? null,
  };
}

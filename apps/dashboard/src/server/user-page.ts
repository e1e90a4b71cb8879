import { type AnyChannel, type AppDefaults, isWebPushTarget } from '@belfry/channels';
import type { AppUserRow, MatchedUser, SuppressionRow, UserDeviceRow } from '@belfry/database';
import { createReadStoredRecipient } from '@belfry/pipeline/accept';
import {
  type Candidate,
  type Eligibility,
  type ErasureRow,
  explainSuppression,
} from '@belfry/pipeline/operate';
import { formatOptOut, maskEndpoint, type Recipient, type RecipientDevice } from '@belfry/shared';
import type * as suppressionWire from '../api/suppressions';
import type * as wire from '../api/users';
import { sortByChannel } from './channel-order';
import { explainReason } from './explain';
import { maskTokens } from './mask-tokens';
import { toUserPreferences } from './user-preferences';

type Channels = Record<string, AnyChannel>;

/** The recipient of a call that only sends the user id. */
export function buildRecipient(
  user: AppUserRow,
  devices: readonly UserDeviceRow[],
  channels: Channels,
): Recipient {
  const recipientDevices = devices.map(toRecipientDevice);
  const row = {
    id: user.sid,
    userId: user.userId,
    contact: user.contact,
    devices: recipientDevices,
  };
  return { ...createReadStoredRecipient(channels)(row), userId: user.userId };
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

function listExtraFields(channels: Channels): string[] {
  return Object.values(channels).flatMap((channel) => Object.keys(channel.recipient));
}

type AddressOnPage = Omit<wire.UserAddress, 'obstacle'> & { deviceId?: string };

/** Addresses of a recipient by channel, or why there is none, in channel order. */
export function listAddresses(
  recipient: Recipient,
  channels: Channels,
  app: AppDefaults,
): AddressOnPage[] {
  return sortByChannel(Object.keys(channels)).flatMap((channel): AddressOnPage[] => {
    const result = channels[channel]?.findTargets(recipient, app);
    if (!result) return [];
    if ('skip' in result) return [{ channel, address: null, note: result.detail }];
    return result.targets.map(({ note = null, ...target }) => ({ channel, note, ...target }));
  });
}

/** The addresses as the verdict reads them for an optional event without a category, by any integration. */
export function toCandidates(addresses: readonly AddressOnPage[], userId: string): Candidate[] {
  return addresses.map(({ channel, address, deviceId }) => ({
    ...{ channel, target: address ?? '', deviceId, userId },
    ...{ sender: undefined, integrationId: undefined, chain: [] },
    ...{ kind: 'optional', category: undefined, preferences: undefined },
  }));
}

/** Adds what would stop a message to each address now. */
export function addObstacles(
  addresses: readonly AddressOnPage[],
  verdicts: readonly Eligibility[],
): wire.UserAddress[] {
  return addresses.map(({ channel, address, note }, index) => {
    const verdict = address === null ? undefined : verdicts[index];
    return { channel, address, note, obstacle: verdict ? toObstacle(verdict) : null };
  });
}

function toObstacle({ obstacle, suppression, optOut }: Eligibility): wire.UserAddress['obstacle'] {
  if (obstacle === null) return null;
  if (obstacle === 'suppressed' && suppression) {
    return { reason: obstacle, ...explainSuppression(suppression) };
  }
  if (obstacle === 'opted_out' && optOut) {
    const what = `${formatOptOut(optOut)} Mandatory events are still sent.`;
    return { reason: obstacle, ...explainReason(obstacle, what) };
  }
  if (obstacle !== 'paused') return { reason: obstacle, ...explainReason(obstacle, null) };
  return {
    reason: obstacle,
    what: 'The channel is paused.',
    remedy: 'Messages wait until it is resumed on the Queues page.',
  };
}

/** Addresses that belong to this user alone: no group addresses, but the tokens of every device. */
export function listOwnAddresses(
  recipient: Recipient,
  channels: Channels,
  app: AppDefaults,
): string[] {
  // Includes disabled devices and those that another address takes precedence over.
  const devices = (recipient.devices ?? []).map(({ disabled: _, ...device }) => device);
  const addresses = [recipient, { devices }]
    .flatMap((each) => listAddresses(each, channels, app))
    .flatMap(({ channel, address }) =>
      address === null || channels[channel]?.isShared?.(address) ? [] : [address],
    );
  return [...new Set(addresses)];
}

/** Normalizes a typed address for the channel, or returns its problem. */
export function canonicalizeAddress(
  text: string,
  channel: AnyChannel,
  { channels, app }: { channels: Channels; app: AppDefaults },
): { address: string } | { problem: string } {
  const result = channel.findTargets(createProbeRecipient(text, channels), app);
  if ('skip' in result) return { problem: result.detail };
  const [target] = result.targets;
  return target ? { address: target.address } : { problem: 'is not an address of this channel' };
}

/** A recipient with this text in every field; the channel reads its own field. */
function createProbeRecipient(text: string, channels: Channels): Recipient {
  const words = text.split(' ');
  const slackEmail = words.find((word) => word.includes('@'));
  const slackId = words.find((word) => !word.includes('@'));
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
    ...(isWebPushTarget(text)
      ? { devices: [{ id: userProbe, token: text }] }
      : { fcmTokens: [text] }),
    extra: Object.fromEntries(listExtraFields(channels).map((name) => [name, text])),
  };
}

/** Stands for the device of a typed endpoint. */
const userProbe = 'probe';

export function toUserRow(row: AppUserRow | MatchedUser): wire.UserRow {
  const { sid, userId, contact, createdAt, updatedAt } = row;
  return {
    sid,
    userId,
    email: toTextOrNull(contact['email']),
    mobile: toTextOrNull(contact['mobile'] ?? contact['whatsapp_mobile']),
    matched: 'matched' in row ? row.matched : null,
    createdAt: createdAt.getTime(),
    updatedAt: updatedAt.getTime(),
  };
}

export function toUserAnswer(
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
    preferences: toUserPreferences(preferences),
    devices: devices.map(({ fcmToken, createdAt, updatedAt, ...device }) => ({
      ...device,
      token: fcmToken === null ? null : maskEndpoint(fcmToken),
      isWebPush: fcmToken !== null && isWebPushTarget(fcmToken),
      createdAt: createdAt.getTime(),
      updatedAt: updatedAt.getTime(),
    })),
    ...more,
  };
}

function toTextOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function toSuppressionRow(row: SuppressionRow): suppressionWire.SuppressionRow {
  const { createdAt, createdBy, sender, ...rest } = row;
  return { ...rest, sender: sender || null, addedBy: createdBy, at: createdAt.getTime() };
}

export function toErasureRow(row: ErasureRow): wire.ErasureRow {
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

import type { Recipient, RecipientDevice } from '@belfry/shared';
import type { Target, Targeting } from '../channel';

const maxCharacters = 128;
/**
 * Placeholders that programs use for a missing ID. OneSignal refuses them, because one may be on a
 * million devices.
 */
const placeholders = new Set([
  ...['0', '1', '-1', 'na', 'n/a', 'null', 'nil', 'none', 'undefined', 'unknown', 'unqualified'],
  ...['nan', 'all', 'not set', 'ok', 'true', 'false'],
]);
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]|\p{Surrogate}/u;
/** Marks a target that is a subscription, not an external ID. */
const subscriptionPrefix = 'subscription:';
const subscriptionId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * One request per external ID, so a wrong ID fails only its own message. An external ID replaces
 * subscriptions, as it reaches all of them: OneSignal accepts only one of both
 * (documentation.onesignal.com/reference/create-message).
 */
export function findOnesignalTargets(recipient: Recipient): Targeting {
  const { onesignalExternalId, onesignalPlayerIds = [], devices = [] } = recipient;
  const externalId = onesignalExternalId?.trim();
  if (externalId) return findPerson(externalId, onesignalPlayerIds.length > 0);
  if (onesignalPlayerIds.length === 0) return findDevices(devices);
  return checkTargets(
    [...new Set(onesignalPlayerIds.map(toSubscriptionTarget))].map((address) => ({ address })),
  );
}

/** The target of a subscription, formerly called a player. */
function toSubscriptionTarget(playerId: string): string {
  return subscriptionPrefix + playerId.trim().toLowerCase();
}

/** Parses a target for OneSignal's request. */
export function readOnesignalTarget(
  target: string,
): { externalId: string } | { subscriptionId: string } | { malformed: string } {
  if (!target.startsWith(subscriptionPrefix)) return { externalId: target };
  const id = target.slice(subscriptionPrefix.length);
  return subscriptionId.test(id) ? { subscriptionId: id } : { malformed };
}

const malformed = 'Each id in onesignal_player_ids must be the UUID of a OneSignal subscription.';

function findPerson(externalId: string, hasPlayerIds: boolean): Targeting {
  const problem = findProblem(externalId);
  if (problem !== undefined) {
    return { skip: 'invalid_address', detail: `onesignal_external_id ${problem}.` };
  }
  const note =
    'onesignal_player_ids is ignored: onesignal_external_id reaches every subscription of the person.';
  return { targets: [{ address: externalId, ...(hasPlayerIds ? { note } : {}) }] };
}

function findProblem(id: string): string | undefined {
  if (id.length > maxCharacters) {
    return `has ${id.length} characters; the limit is ${maxCharacters}`;
  }
  if (controlCharacter.test(id)) return 'has a control character';
  if (id.startsWith(subscriptionPrefix)) return `must not start with "${subscriptionPrefix}"`;
  return placeholders.has(id.toLowerCase()) ? `"${id}" is a placeholder, not an id` : undefined;
}

/**
 * A dead FCM token says nothing about the subscription, so only devices switched off by the app are
 * left out.
 */
function findDevices(devices: readonly RecipientDevice[]): Targeting {
  const subscribed = devices.flatMap(({ onesignalPlayerId, ...device }) =>
    onesignalPlayerId ? [{ ...device, address: toSubscriptionTarget(onesignalPlayerId) }] : [],
  );
  if (subscribed.length === 0) return noAddress;
  const enabled = subscribed.filter(({ disabled }) => disabled !== 'by_client');
  if (enabled.length === 0) return switchedOff;
  return checkTargets(enabled.map(({ id, address }) => ({ address, deviceId: id })));
}

const noAddress: Targeting = {
  skip: 'no_address',
  detail:
    'The recipient has no onesignal_external_id, no onesignal_player_ids, and no device with an onesignal_player_id.',
};

const switchedOff: Targeting = {
  skip: 'opted_out',
  detail: 'Notifications are off on every device of the user.',
};

/**
 * A malformed target among others becomes a message that fails visibly. Alone, it is the reason for
 * having no target.
 */
function checkTargets(targets: Target[]): Targeting {
  const isMalformed = ({ address }: Target) => 'malformed' in readOnesignalTarget(address);
  return targets.every(isMalformed) ? { skip: 'invalid_address', detail: malformed } : { targets };
}

/** For example, `sandbox+bounce`. */
export function findMagicWordOfOnesignal(target: string): string | undefined {
  return /^sandbox\+([a-z]+)$/i.exec(target)?.[1]?.toLowerCase();
}

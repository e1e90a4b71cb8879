import type { AnyChannel, Target } from '@belfry/channels';
import type { UserRow } from '@belfry/database';
import {
  type ChannelVersion,
  findOptOut,
  formatOptOut,
  getSchedule,
  mergeRecipients,
  type Recipient,
  readPreferences,
  readSchedule,
  recipientFromWire,
  type SkipReason,
  type VersionDefinition,
  type WireItem,
  type WireUser,
} from '@belfry/shared';
import { narrowToTarget } from '../deliver/narrow-to-target';
import type { ItemPlan, NewMessage, Skip } from './item-plan';

export type PlanInput = {
  item: WireItem;
  /** The stored user's fields; undefined if the request names no user or one that is not stored. */
  stored: Recipient | undefined;
  definition: VersionDefinition;
  delivery: 'sandbox' | 'live';
  /** The app's setting. */
  defaultRegion: string | null;
  now: Date;
  newId: () => string;
};

/**
 * Plans an item: one message for each target of each channel that reaches the recipient, and a skip reason for every
 * other channel of the version. Pure except for `newId`.
 */
export type Plan = (input: PlanInput) => ItemPlan;

export function createPlan(channels: Record<string, AnyChannel>): Plan {
  const extraFields = listExtraFields(channels);

  return function plan(input) {
    const recipient = resolveRecipient(input, extraFields);
    const preferences = resolvePreferences(input);
    const messages: NewMessage[] = [];
    const skips: Record<string, Skip> = {};
    for (const name of Object.keys(input.definition.channels)) {
      const [channel, version] = [channels[name], input.definition.channels[name]];
      if (!channel || !version) continue;
      const result = planChannel({ name, channel, version, recipient, preferences, input });
      if ('skip' in result) skips[name] = result.skip;
      else
        messages.push(
          ...distinct(result.targets).map((each) =>
            buildMessage(each, {
              name,
              version: narrowToTarget(channel, version, each.address),
              input,
            }),
          ),
        );
    }
    return { messages, skips, locale: resolveLocale(input, recipient) };
  };
}

/** The request's own locale wins over the stored user's. */
function resolveLocale({ item }: PlanInput, recipient: Recipient | undefined): string | undefined {
  return item.user?.preferences?.locale?.trim() || item.locale || recipient?.preferences?.locale;
}

type ChannelPlan = {
  name: string;
  channel: AnyChannel;
  version: ChannelVersion;
  recipient: Recipient | undefined;
  preferences: ReturnType<typeof resolvePreferences>;
  input: PlanInput;
};

function planChannel(plan: ChannelPlan): { skip: Skip } | { targets: Target[] } {
  const { name, channel, recipient, input } = plan;
  if (!recipient) return skip('no_recipient', 'The request has no user.');
  const optOut = findOptOut({ ...plan.preferences, channel: name });
  if (optOut) return skip('opted_out', formatOptOut(optOut));
  const targeting = channel.findTargets(recipient, input);
  if ('skip' in targeting) {
    return isUnknownUser(input) && targeting.skip === 'no_address'
      ? skip(
          'unknown_user',
          'The user is not stored, and the request has no address for this channel.',
        )
      : skip(targeting.skip, targeting.detail);
  }
  if (!hasSender(plan)) {
    return skip('no_integration', 'This channel of the event has no integration.');
  }
  return channel.getTargetProvider && input.delivery === 'live'
    ? keepReachable(targeting.targets, plan)
    : targeting;
}

/** Drops the targets whose provider has no integration in the version; one that stays has a note about them. */
function keepReachable(
  targets: Target[],
  { channel, version }: ChannelPlan,
): { skip: Skip } | { targets: Target[] } {
  const isReachable = ({ address }: Target) =>
    narrowToTarget(channel, version, address).integrationIds.length > 0;
  const [first, ...others] = targets.filter(isReachable);
  const dropped = targets.filter((target) => !isReachable(target));
  const names = new Set(dropped.map(({ address }) => channel.getTargetProvider?.(address)));
  const problem = `This channel of the event has no ${[...names].join(' or ')} integration`;
  if (!first) return skip('no_integration', `${problem}.`);
  if (dropped.length === 0) return { targets };
  const count = `${dropped.length} other device${dropped.length === 1 ? '' : 's'}`;
  return { targets: [{ ...first, note: `${problem} for ${count}.` }, ...others] };
}

/** Removes repeated addresses: a second message for a target would violate a unique index and fail the whole write. */
function distinct(targets: Target[]): Target[] {
  if (targets.length < 2) return targets;
  const byAddress = new Map(targets.map((target) => [target.address, target]));
  return [...byAddress.values()];
}

function skip(reason: SkipReason, detail: string): { skip: Skip } {
  return { skip: { reason, detail } };
}

function resolveRecipient(
  { item, stored }: PlanInput,
  extraFields: string[],
): Recipient | undefined {
  if (!item.user) return undefined;
  const callRecipient = recipientFromWire(item.user, extraFields);
  return stored ? mergeRecipients(stored, callRecipient) : callRecipient;
}

/** Returns the facts of `findOptOut`, except the channel. */
function resolvePreferences({ item, stored, definition }: PlanInput) {
  return {
    kind: definition.kind,
    category: definition.category,
    call: readPreferences(item.user?.preferences),
    stored: stored?.preferences,
  };
}

function isUnknownUser({ item, stored }: PlanInput): boolean {
  return Boolean(item.user?.user_id) && stored === undefined;
}

/** The sandbox needs no sender. Live, a channel needs an integration or a token in the request, unless it is built in. */
function hasSender({ channel, version, recipient, input }: ChannelPlan): boolean {
  if (channel.isBuiltIn || input.delivery === 'sandbox') return true;
  if (version.integrationIds.length > 0) return true;
  return recipient !== undefined && channel.findOwnToken?.(recipient) !== undefined;
}

type MessageContext = Pick<ChannelPlan, 'name' | 'version' | 'input'>;

function buildMessage(target: Target, { name, version, input }: MessageContext): NewMessage {
  const schedule = readSchedule(getSchedule(input.item, name), input.now);
  return {
    id: input.newId(),
    channel: name,
    target: target.address,
    // The sandbox uses no integration.
    integrationId: input.delivery === 'live' ? version.integrationIds[0] : undefined,
    dueAt: 'at' in schedule ? schedule.at : undefined,
    timeToLiveMs: version.policy.timeToLiveMs,
    jobId: undefined,
    note: target.note,
    deviceId: target.deviceId,
  };
}

/** Reads the stored user's fields; the Slack token stays sealed. */
export function createReadStoredRecipient(channels: Record<string, AnyChannel>) {
  const extraFields = listExtraFields(channels);

  return function readStoredRecipient({ contact, devices }: UserRow): Recipient {
    // The users route validated `contact`, which holds the user's fields in wire form.
    const stored = recipientFromWire(contact as WireUser, extraFields);
    return devices.length > 0 ? { ...stored, devices } : stored;
  };
}

function listExtraFields(channels: Record<string, AnyChannel>): string[] {
  return Object.values(channels).flatMap(({ recipient }) => Object.keys(recipient));
}

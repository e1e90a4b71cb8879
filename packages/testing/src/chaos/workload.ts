import type { SimulatedChannels } from '../simulated-channels';
import type { Random } from './random';
import type { Policy } from './recording';

/** An account with its app, and an event for each set of channels and each policy. */
export type Tenant = { accountId: string; apiKey: string; appId: string };

/** The content and the repetitions of one idempotency key. */
export type PlannedKey = {
  key: string;
  tenant: number;
  policy: Policy;
  channels: string[];
  /** The recipients; more than one for a bulk. */
  numbers: number[];
  isBulk: boolean;
  /** Concurrent calls, over both gateways. */
  copies: number;
  /** Sent once more after it was accepted. */
  isReplayed: boolean;
  /** Another body under the same key, after it was accepted. */
  isMisused: boolean;
  /** Another account tries to send to the app. */
  isTrespassed: boolean;
};

const shares = {
  together: 0.3,
  replayed: 0.1,
  misused: 0.05,
  trespassed: 0.02,
  bulk: 0.2,
  hold: 0.2,
  crowd: 0.01,
};
const mostCopies = 4;
const [mostItems, crowdItems] = [4, 40];
/** Every recipient of a run has a unique number. */
const numbersPerKey = 50;

/** The calls of key number `index` in the run; the same for the same seed. */
export function planKey(index: number, random: Random, channels: string[]): PlannedKey {
  // A crowd makes a backlog: jobs in Redis, and messages that wait in a worker, when a fault comes.
  const isCrowd = random.chance(shares.crowd);
  const isBulk = isCrowd || random.chance(shares.bulk);
  const bulkItems = isCrowd ? crowdItems : random.between(2, mostItems);
  const items = isBulk ? bulkItems : 1;
  return {
    key: `key-${index}`,
    tenant: index % tenantCount,
    policy: random.chance(shares.hold) ? 'hold' : 'resend',
    channels: random.pick(listChannelSets(channels)),
    numbers: Array.from({ length: items }, (_, item) => index * numbersPerKey + item),
    isBulk,
    copies: random.chance(shares.together) ? random.between(2, mostCopies) : 1,
    isReplayed: random.chance(shares.replayed),
    isMisused: random.chance(shares.misused),
    isTrespassed: random.chance(shares.trespassed),
  };
}

export const tenantCount = 2;

/** Each channel alone, and all of them together. */
export function listChannelSets(channels: string[]): string[][] {
  return [...channels.map((channel) => [channel]), channels];
}

export function eventName(channels: readonly string[], policy: Policy): string {
  return `${policy}:${channels.join('+')}`;
}

/** Built in: it addresses a `user_id`, and has no provider. */
export const inboxChannel = 'in_app';

/** The body of the key's calls; `value` makes bodies differ. */
export function buildBody(
  { policy, channels, numbers, isBulk }: PlannedKey,
  simulated: SimulatedChannels['channels'],
  value: string,
): object {
  const buildUser = (number: number) =>
    Object.assign(
      channels.includes(inboxChannel) ? { user_id: `person-${number}` } : {},
      ...channels.map((channel) => simulated[channel]?.user(number)),
    );
  const items = numbers.map((number) => ({ user: buildUser(number), data: { name: value } }));
  const event = eventName(channels, policy);
  return isBulk ? { event, batch: items } : { event, ...items[0] };
}

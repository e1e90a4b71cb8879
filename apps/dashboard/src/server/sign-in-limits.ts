import type { Request } from 'express';
import type { Connections } from './connection';
import type { Devices } from './devices';
import { tooManyTries } from './problem';
import { createTries } from './tries';

const minuteMs = 60_000;
/** For a known browser, and for a signed-in operator who confirms an action. */
export const knownLimit = { max: 10, refillMs: 1.5 * minuteMs };
/** For strangers, per network and address. */
const pairLimit = { max: 10, refillMs: 1.5 * minuteMs };
/** For strangers, per network. */
const networkLimit = { max: 50, refillMs: 0.3 * minuteMs };
/** For codes, per known browser, and per operator for strangers: 96 of a million codes a day, for whoever has the password. */
const codeLimit = { max: 10, refillMs: 15 * minuteMs };
const maxNames = 10_000;

/** Keys for counting the attempts of strangers. */
type TryKeys = { network: string; pair: string };

export type Attempt<T> = {
  /** Operators whose password may be checked now. */
  operators: T[];
  /** Whether one of them has signed in with this browser before. */
  isKnown: boolean;
  /** Call this if the password matches for `matching`. */
  succeed(matching: readonly T[]): void;
};

export type SignInLimits = {
  /** Counts an attempt for the operators of an address before the password is checked. Throws `too_many_tries`. */
  begin<T extends { id: string }>(
    req: Request,
    address: string,
    operators: readonly T[],
  ): Attempt<T>;
  /**
   * Counts an attempt at a code after the right password. Throws `too_many_tries`. If the code is right, call the
   * returned function.
   */
  beginCode(req: Request, operatorId: string): () => void;
};

export type SignInLimitsDeps = {
  devices: Pick<Devices, 'find'>;
  connections: Pick<Connections, 'getClientNetwork'>;
  now: () => number;
};

/**
 * Limits guessing without a lockout that strangers could trigger. A known browser has its own counter that others
 * cannot exhaust. Strangers are counted per address and network, and per network.
 */
export function createSignInLimits({ devices, connections, now }: SignInLimitsDeps): SignInLimits {
  const deviceTries = createTries({ ...knownLimit, maxNames, now });
  const pairTries = createTries({ ...pairLimit, maxNames, now });
  const networkTries = createTries({ ...networkLimit, maxNames, now });

  function beginStranger({ network, pair }: TryKeys): number {
    const waitForNetwork = networkTries.begin(network);
    // Checked first, so that a limited network does not fill the memory with addresses.
    if (waitForNetwork > 0) return waitForNetwork;
    const waitForPair = pairTries.begin(pair);
    if (waitForPair > 0) networkTries.takeBack(network);
    return waitForPair;
  }

  function succeedStranger<T>(
    { network, pair }: TryKeys,
    strangers: readonly T[],
    matching: readonly T[],
  ): void {
    // A correct password of one operator must not allow free guesses for another with the same address.
    if (!strangers.every((operator) => matching.includes(operator))) return;
    pairTries.takeBack(pair);
    networkTries.takeBack(network);
  }

  return {
    beginCode: createBeginCode({ devices, now }),

    begin(req, address, operators) {
      const network = connections.getClientNetwork(req);
      const names = { network, pair: `${network} ${address}` };
      const candidates = operators.map((operator) => {
        const device = devices.find(req, operator.id);
        return { operator, device: device && `${operator.id} ${device}` };
      });
      const knownDevices = candidates.flatMap(({ operator, device }) =>
        device ? [{ operator, device, waitSeconds: deviceTries.begin(device) }] : [],
      );
      const strangers = candidates.filter(({ device }) => !device).map(({ operator }) => operator);
      const isStranger = strangers.length > 0 || knownDevices.length === 0;
      const waits = knownDevices.map(({ waitSeconds }) => waitSeconds);
      if (isStranger) waits.push(beginStranger(names));
      if (!waits.includes(0)) throw tooManyTries(Math.min(...waits));

      const openDevices = knownDevices.filter(({ waitSeconds }) => waitSeconds === 0);
      const isStrangerOpen = isStranger && waits.at(-1) === 0;
      return {
        operators: [
          ...openDevices.map(({ operator }) => operator),
          ...(isStrangerOpen ? strangers : []),
        ],
        isKnown: openDevices.length > 0,
        succeed(matching) {
          const matchingDevices = openDevices.filter(({ operator }) => matching.includes(operator));
          for (const { device } of matchingDevices) deviceTries.forget(device);
          if (isStrangerOpen) succeedStranger(names, strangers, matching);
        },
      };
    },
  };
}

function createBeginCode({
  devices,
  now,
}: Pick<SignInLimitsDeps, 'devices' | 'now'>): SignInLimits['beginCode'] {
  const tries = createTries({ ...codeLimit, maxNames, now });
  return function beginCode(req, operatorId) {
    const device = devices.find(req, operatorId);
    const name = device ? `${operatorId} ${device}` : operatorId;
    const seconds = tries.begin(name);
    if (seconds > 0) throw tooManyTries(seconds);
    // A right code must not allow a stranger more guesses.
    return () => (device ? tries.forget(name) : tries.takeBack(name));
  };
}

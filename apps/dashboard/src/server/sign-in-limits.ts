import type { Request } from 'express';
import type { Connections } from './connection';
import type { Devices } from './devices';
import { tooManyTries } from './problem';
import { createTries } from './tries';

const minuteMs = 60_000;
/** For a browser that has signed in before, and for a signed-in operator who confirms a step. */
export const knownLimit = { max: 10, refillMs: 1.5 * minuteMs };
/** For strangers of one network and one address. */
const pairLimit = { max: 10, refillMs: 1.5 * minuteMs };
/** For strangers of one network and any address. */
const networkLimit = { max: 50, refillMs: 0.3 * minuteMs };
const maxNames = 10_000;

/** The keys by which the attempts of strangers are counted. */
type TryKeys = { network: string; pair: string };

export type Attempt<T> = {
  /** Those whose password may be judged now. */
  operators: T[];
  /** One of them has signed in with this browser before. */
  isKnown: boolean;
  /** Call it when the password is right for `matching`. */
  succeed(matching: readonly T[]): void;
};

export type SignInLimits = {
  /** Counts an attempt for the operators of an address before it is judged. Throws `too_many_tries`. */
  begin<T extends { id: string }>(
    req: Request,
    address: string,
    operators: readonly T[],
  ): Attempt<T>;
};

export type SignInLimitsDeps = {
  devices: Pick<Devices, 'find'>;
  connections: Pick<Connections, 'getClientNetwork'>;
  now: () => number;
};

/**
 * Bounds guessing without a lock that strangers could use: a browser in which the operator has signed in before has a
 * count of its own, which nobody else can fill. Strangers are counted by address and network, and by network.
 */
export function createSignInLimits({ devices, connections, now }: SignInLimitsDeps): SignInLimits {
  const deviceTries = createTries({ ...knownLimit, maxNames, now });
  const pairTries = createTries({ ...pairLimit, maxNames, now });
  const networkTries = createTries({ ...networkLimit, maxNames, now });

  function beginStranger({ network, pair }: TryKeys): number {
    const waitForNetwork = networkTries.begin(network);
    // First, so that a network that has to wait fills no memory with addresses.
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
    // Whoever knows one operator's password must not guess that of another with the same address for nothing.
    if (!strangers.every((operator) => matching.includes(operator))) return;
    pairTries.takeBack(pair);
    networkTries.takeBack(network);
  }

  return {
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

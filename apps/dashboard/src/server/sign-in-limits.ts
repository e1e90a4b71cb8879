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
type Names = { network: string; pair: string };

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
  connections: Pick<Connections, 'callerOf'>;
  now: () => number;
};

/**
 * Bounds guessing without a lock that strangers could use: a browser in which the operator has signed in before has a
 * count of its own, which nobody else can fill. Strangers are counted by address and network, and by network.
 */
export function createSignInLimits({ devices, connections, now }: SignInLimitsDeps): SignInLimits {
  const ofDevice = createTries({ ...knownLimit, maxNames, now });
  const ofPair = createTries({ ...pairLimit, maxNames, now });
  const ofNetwork = createTries({ ...networkLimit, maxNames, now });

  function beginStranger({ network, pair }: Names): number {
    const waitForNetwork = ofNetwork.begin(network);
    // First, so that a network that has to wait fills no memory with addresses.
    if (waitForNetwork > 0) return waitForNetwork;
    const waitForPair = ofPair.begin(pair);
    if (waitForPair > 0) ofNetwork.takeBack(network);
    return waitForPair;
  }

  function succeedStranger<T>(
    { network, pair }: Names,
    strange: readonly T[],
    matching: readonly T[],
  ): void {
    // Whoever knows one operator's password must not guess that of another with the same address for nothing.
    if (!strange.every((operator) => matching.includes(operator))) return;
    ofPair.takeBack(pair);
    ofNetwork.takeBack(network);
  }

  return {
    begin(req, address, operators) {
      const network = connections.callerOf(req);
      const names = { network, pair: `${network} ${address}` };
      const found = operators.map((operator) => {
        const device = devices.find(req, operator.id);
        return { operator, device: device && `${operator.id} ${device}` };
      });
      const known = found.flatMap(({ operator, device }) =>
        device ? [{ operator, device, waitSeconds: ofDevice.begin(device) }] : [],
      );
      const strange = found.filter(({ device }) => !device).map(({ operator }) => operator);
      const isStranger = strange.length > 0 || known.length === 0;
      const waits = known.map(({ waitSeconds }) => waitSeconds);
      if (isStranger) waits.push(beginStranger(names));
      if (!waits.includes(0)) throw tooManyTries(Math.min(...waits));

      const open = known.filter(({ waitSeconds }) => waitSeconds === 0);
      const isStrangerOpen = isStranger && waits.at(-1) === 0;
      return {
        operators: [...open.map(({ operator }) => operator), ...(isStrangerOpen ? strange : [])],
        isKnown: open.length > 0,
        succeed(matching) {
          const right = open.filter(({ operator }) => matching.includes(operator));
          for (const { device } of right) ofDevice.forget(device);
          if (isStrangerOpen) succeedStranger(names, strange, matching);
        },
      };
    },
  };
}

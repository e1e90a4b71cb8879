import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The code of the error when an address may not be reached. */
export const blockedAddressCode = 'EBLOCKEDADDRESS';

export type GuardOptions = {
  /** Whether private and loopback addresses may be reached. */
  allowPrivateNetworks: boolean;
  /** Turns a name into addresses; the system's resolver unless a test brings its own. */
  resolve?: Resolve;
};

export type Resolve = (
  hostname: string,
  options: { all: true; family: number },
  callback: (error: Error | null, addresses: ResolvedAddress[]) => void,
) => void;

export type ResolvedAddress = { address: string; family: number };

/**
 * A look-up for sockets that fails when any address of the name is not public. The check happens
 * where the connection is made, so that a name cannot answer differently in between.
 */
export function createGuardedLookup({
  allowPrivateNetworks,
  resolve = systemLookup,
}: GuardOptions): LookupFunction {
  return function lookUp(hostname, options, callback) {
    const all = { all: true, family: familyOf(options.family) } as const;
    resolve(hostname, all, (error, addresses = []) => {
      const [first] = addresses;
      const problem = error ?? problemOf(hostname, addresses, allowPrivateNetworks);
      if (problem || !first) callback(problem ?? notFound(hostname), '', 0);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function problemOf(
  hostname: string,
  addresses: readonly ResolvedAddress[],
  allowPrivateNetworks: boolean,
): Error | undefined {
  const isPublic = addresses.every(({ address }) => isPublicAddress(address));
  return isPublic || allowPrivateNetworks ? undefined : blockedAddress(hostname);
}

/** Sockets do not look up an address that is already a number, so it is checked by itself. */
export function isBlockedHost(host: string, { allowPrivateNetworks }: GuardOptions): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  return !allowPrivateNetworks && isIP(bare) !== 0 && !isPublicAddress(bare);
}

/** Whether an address is on the public internet: no private, local, shared, translated or reserved range. */
export function isPublicAddress(address: string): boolean {
  const bare = address.replace(/%.*$/, '');
  if (!ipaddr.isValid(bare)) return false;
  const parsed = ipaddr.parse(bare);
  if (parsed.kind() === 'ipv4') return parsed.range() === 'unicast';
  // Only 2000::/3 is handed out; what lies outside is local, reserved, or IPv4 in disguise.
  return parsed.range() === 'unicast' && parsed.match(globalUnicast);
}

export function blockedAddress(host: string): Error {
  return Object.assign(new Error(`${host} is not a public address`), { code: blockedAddressCode });
}

const globalUnicast = ipaddr.parseCIDR('2000::/3');

function notFound(hostname: string): Error {
  return Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
}

function familyOf(family: number | string | undefined): number {
  if (family === 'IPv4') return 4;
  if (family === 'IPv6') return 6;
  return typeof family === 'number' ? family : 0;
}

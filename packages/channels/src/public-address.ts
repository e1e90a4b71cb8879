import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The code of the error when an address may not be reached. */
export const blockedAddressCode = 'EBLOCKEDADDRESS';
/** The code of the error when a port may not be reached. */
export const blockedPortCode = 'EBLOCKEDPORT';

/** Lower case, IPv6 without brackets. */
export type PrivateHosts = readonly string[];

export type GuardOptions = {
  /** Hosts, as they are named, that may have private addresses. */
  allowedPrivateHosts: PrivateHosts;
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
  allowedPrivateHosts,
  resolve = systemLookup,
}: GuardOptions): LookupFunction {
  return function lookUp(hostname, options, callback) {
    const all = { all: true, family: toFamily(options.family) } as const;
    resolve(hostname, all, (error, addresses = []) => {
      const [first] = addresses;
      const problem = error ?? findProblem(hostname, addresses, allowedPrivateHosts);
      if (problem || !first) callback(problem ?? createNotFoundError(hostname), '', 0);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function findProblem(
  hostname: string,
  addresses: readonly ResolvedAddress[],
  allowedPrivateHosts: PrivateHosts,
): Error | undefined {
  const isPublic = addresses.every(({ address }) => isPublicAddress(address));
  const isAllowed = isPublic || isAllowedHost(hostname, allowedPrivateHosts);
  return isAllowed ? undefined : createBlockedAddressError(hostname);
}

/** Sockets do not look up an address that is already a number, so it is checked by itself. */
export function isBlockedHost(host: string, { allowedPrivateHosts }: GuardOptions): boolean {
  const bare = bareHost(host);
  return isIP(bare) !== 0 && !isPublicAddress(bare) && !isAllowedHost(host, allowedPrivateHosts);
}

/** Whether an operator named this very host; its address is no name of it. */
export function isAllowedHost(host: string, allowedHosts: PrivateHosts): boolean {
  return allowedHosts.includes(bareHost(host));
}

/** What ALLOWED_PRIVATE_HOSTS says. */
export function parsePrivateHosts(text: string): PrivateHosts {
  return text
    .split(',')
    .map((name) => bareHost(name.trim()))
    .filter((name) => name !== '');
}

function bareHost(host: string): string {
  return host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
}

/** Whether an address is on the public internet: no private, local, shared, translated or reserved range. */
export function isPublicAddress(address: string): boolean {
  const bare = address.replace(/%.*$/s, '');
  if (!ipaddr.isValid(bare)) return false;
  const parsed = ipaddr.parse(bare);
  if (parsed.kind() === 'ipv4') return parsed.range() === 'unicast';
  // Only 2000::/3 is handed out; what lies outside is local, reserved, or IPv4 in disguise.
  return parsed.range() === 'unicast' && parsed.match(globalUnicast);
}

export function createBlockedAddressError(host: string): Error {
  return Object.assign(new Error(`${host} is not a public address`), { code: blockedAddressCode });
}

const globalUnicast = ipaddr.parseCIDR('2000::/3');

function createNotFoundError(hostname: string): Error {
  return Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
}

function toFamily(family: number | string | undefined): number {
  if (family === 'IPv4') return 4;
  if (family === 'IPv6') return 6;
  return typeof family === 'number' ? family : 0;
}

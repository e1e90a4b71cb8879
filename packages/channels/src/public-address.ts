import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The error code when an address is not allowed. */
export const blockedAddressCode = 'EBLOCKEDADDRESS';
/** The error code when a port is not allowed. */
export const blockedPortCode = 'EBLOCKEDPORT';

/** Lower case, IPv6 without brackets. */
export type PrivateHosts = readonly string[];

export type GuardOptions = {
  /** Hosts, by name or address, that may have private addresses. */
  allowedPrivateHosts: PrivateHosts;
  /** Resolves names to addresses; tests may replace the system resolver. */
  resolve?: Resolve;
};

export type Resolve = (
  hostname: string,
  options: { all: true; family: number | 'IPv4' | 'IPv6' },
  callback: (error: Error | null, addresses: ResolvedAddress[]) => void,
) => void;

export type ResolvedAddress = { address: string; family: number };

/**
 * A lookup function for sockets that fails when any address of the name is not public. The check
 * runs when the connection opens, so the name cannot resolve differently in between.
 */
export function createGuardedLookup({
  allowedPrivateHosts,
  resolve = systemLookup,
}: GuardOptions): LookupFunction {
  return function lookUp(hostname, options, callback) {
    const all = { all: true, family: options.family ?? 0 } as const;
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

/** Sockets do not look up literal addresses, so these are checked separately. */
export function isBlockedHost(host: string, { allowedPrivateHosts }: GuardOptions): boolean {
  const bare = bareHost(host);
  return isIP(bare) !== 0 && !isPublicAddress(bare) && !isAllowedHost(host, allowedPrivateHosts);
}

/** Whether the operator allowed this exact host. Its address does not count as its name. */
export function isAllowedHost(host: string, allowedHosts: PrivateHosts): boolean {
  return allowedHosts.includes(bareHost(host));
}

/** Parses ALLOWED_PRIVATE_HOSTS. */
export function parsePrivateHosts(text: string): PrivateHosts {
  return text
    .split(',')
    .map((name) => bareHost(name.trim()))
    .filter((name) => name !== '');
}

function bareHost(host: string): string {
  return host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
}

/**
 * Whether an address is on the public internet: not private, local, shared, translated or reserved.
 */
export function isPublicAddress(address: string): boolean {
  const bare = address.replace(/%.*$/s, '');
  if (!ipaddr.isValid(bare)) return false;
  const parsed = ipaddr.parse(bare);
  if (parsed.kind() === 'ipv4') return parsed.range() === 'unicast';
  // Only 2000::/3 is allocated; the rest is local, reserved, or embeds IPv4.
  return parsed.range() === 'unicast' && parsed.match(globalUnicast);
}

export function createBlockedAddressError(host: string): Error {
  return Object.assign(new Error(`${host} is not a public address`), { code: blockedAddressCode });
}

const globalUnicast = ipaddr.parseCIDR('2000::/3');

function createNotFoundError(hostname: string): Error {
  return Object.assign(new Error(`${hostname} does not resolve to an address`), {
    code: 'ENOTFOUND',
  });
}

import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { getHeaderValues } from './raw-headers';
import type { IsTrustedProxy } from './trusted-proxies';

/** The network that a request counts against: that of the peer, or of the client that trusted proxies report. */
export function getClientNetwork(req: IncomingMessage, isTrustedProxy: IsTrustedProxy): string {
  const peer = req.socket.remoteAddress ?? '';
  if (!isTrustedProxy(peer)) return getNetwork(peer);
  // Each proxy appends the address of its caller, to the same header or to a new one.
  const hops = getHeaderValues(req, 'x-forwarded-for').flatMap((value) => value.split(','));
  const client = hops.map((hop) => hop.trim()).findLast((hop) => !isTrustedProxy(hop));
  return getNetwork(client !== undefined && isIP(client) ? client : peer);
}

const groupsOfNetwork = 4;
const mappedPrefix = '::ffff:';

/** An IPv4 address, or the /64 of an IPv6 address: one owner has a whole /64 and could use a new address for each request. */
export function getNetwork(address: string): string {
  const mapped = address.toLowerCase().startsWith(mappedPrefix)
    ? address.slice(mappedPrefix.length)
    : '';
  if (isIP(mapped) === 4) return mapped;
  if (isIP(address) !== 6) return address;
  const [head = '', tail = ''] = address.split('%')[0]?.split('::') ?? [];
  const groups = (part: string) => part.split(':').filter((group) => group !== '');
  const [before, after] = [groups(head), groups(tail)];
  const between = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  const network = [...before, ...between, ...after].slice(0, groupsOfNetwork);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

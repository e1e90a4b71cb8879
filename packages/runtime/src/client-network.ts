import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { TLSSocket } from 'node:tls';
import { getHeaderValues } from './request-head';

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

/** Whether a peer is a proxy whose X-Forwarded headers are trusted. */
export type IsTrustedProxy = (address: string | undefined) => boolean;

/** Parses `10.0.0.0/8,127.0.0.1/32`; `problem` is shown to the person who set it. */
export function parseTrustedProxies(text: string): IsTrustedProxy | { problem: string } {
  const subnets = new BlockList();
  for (const part of text.split(',').map((each) => each.trim())) {
    if (part === '') continue;
    const subnet = parseSubnet(part);
    if (!subnet) return { problem: `"${part}" is not a subnet such as 10.0.0.0/8` };
    if (subnet.prefix === 0) return { problem: `"${part}" would trust everyone` };
    subnets.addSubnet(subnet.address, subnet.prefix, subnet.family);
  }
  // Runs for each request and response; comparing addresses is slow.
  if (subnets.rules.length === 0) return () => false;
  return function isTrustedProxy(address) {
    const version = isIP(address ?? '');
    if (address === undefined || version === 0) return false;
    // Matches IPv4 subnets also for an IPv4 address written as IPv6.
    return subnets.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
}

/** Whether a request used TLS: to this process, or to a trusted proxy that says so exactly once. */
export function isHttps(req: IncomingMessage, isTrustedProxy: IsTrustedProxy): boolean {
  if (req.socket instanceof TLSSocket) return true;
  if (!isTrustedProxy(req.socket.remoteAddress)) return false;
  const [protocol, ...more] = getHeaderValues(req, 'x-forwarded-proto');
  return more.length === 0 && protocol?.toLowerCase() === 'https';
}

type Subnet = { address: string; prefix: number; family: 'ipv4' | 'ipv6' };

function parseSubnet(text: string): Subnet | undefined {
  const [address = '', length, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return undefined;
  const longest = version === 4 ? 32 : 128;
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return undefined;
  const prefix = length === undefined ? longest : Number(length);
  if (prefix > longest) return undefined;
  return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
}

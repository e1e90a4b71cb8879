import { getClientNetwork, getNetwork, parseTrustedProxies } from './client-network';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['', ''],
])('the network of %p is %p', (address, network) => {
  expect(getNetwork(address)).toBe(network);
});

describe('getClientNetwork', () => {
  test.each<[string, string, string[], string]>([
    [
      'ignores X-Forwarded-For of an untrusted peer',
      '203.0.113.7',
      ['198.51.100.1'],
      '203.0.113.7',
    ],
    [
      'uses the last address that a proxy adds',
      '10.0.0.1',
      ['1.1.1.1, 198.51.100.1'],
      '198.51.100.1',
    ],
    [
      'reads a second header after the first',
      '10.0.0.1',
      ['1.1.1.1', '198.51.100.1'],
      '198.51.100.1',
    ],
    ['skips trusted proxies of a chain', '10.0.0.1', ['198.51.100.1, 10.0.0.2'], '198.51.100.1'],
    ['uses a proxy itself if it names no client', '10.0.0.1', [], '10.0.0.1'],
    ['ignores an invalid address', '10.0.0.1', ['198.51.100.1, unknown'], '10.0.0.1'],
  ])('%s', (_, remoteAddress, forwarded, network) => {
    const isTrustedProxy = parseTrustedProxies('10.0.0.0/8');
    if (typeof isTrustedProxy !== 'function') throw new Error(isTrustedProxy.problem);
    const rawHeaders = forwarded.flatMap((value) => ['X-Forwarded-For', value]);
    const req = { socket: { remoteAddress }, rawHeaders };
    expect(getClientNetwork(req as never, isTrustedProxy)).toBe(network);
  });
});

describe('parseTrustedProxies', () => {
  test.each<[string, string | undefined, boolean]>([
    ['', '127.0.0.1', false],
    ['10.0.0.0/8', '10.1.2.3', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['10.0.0.0/8, 192.168.1.7', '192.168.1.7', true],
    ['192.168.1.7', '192.168.1.8', false],
    ['fd00::/8', 'fd12::1', true],
    ['fd00::/8', 'fe80::1', false],
    ['::1', '::1', true],
    ['10.0.0.0/8', undefined, false],
    ['10.0.0.0/8', 'nonsense', false],
  ])('with subnets %p, %p is trusted: %p', (subnets, address, expected) => {
    const isTrustedProxy = parseTrustedProxies(subnets);
    expect(typeof isTrustedProxy === 'function' && isTrustedProxy(address)).toBe(expected);
  });

  test.each([
    ['all', '"all" is not a subnet such as 10.0.0.0/8'],
    ['true', '"true" is not a subnet such as 10.0.0.0/8'],
    ['10.0.0.0/33', '"10.0.0.0/33" is not a subnet such as 10.0.0.0/8'],
    ['10.0.0.0/-1', '"10.0.0.0/-1" is not a subnet such as 10.0.0.0/8'],
    ['10.0.0.0/8/8', '"10.0.0.0/8/8" is not a subnet such as 10.0.0.0/8'],
    ['10.0.0.0/8,proxy', '"proxy" is not a subnet such as 10.0.0.0/8'],
    ['0.0.0.0/0', '"0.0.0.0/0" would trust everyone'],
    ['::/0', '"::/0" would trust everyone'],
  ])('rejects %p', (subnets, problem) => {
    expect(parseTrustedProxies(subnets)).toEqual({ problem });
  });
});

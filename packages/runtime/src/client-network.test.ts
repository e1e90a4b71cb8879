import { getClientNetwork, getNetwork } from './client-network';
import { parseTrustedProxies } from './trusted-proxies';

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

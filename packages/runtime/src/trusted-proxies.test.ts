import { parseTrustedProxies } from './trusted-proxies';

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

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { addHashTag, maskRedisUrl, parseRedisUrl } from './redis-url';
import { testTls } from './test-tls.fixture';

const folder = mkdtempSync(path.join(tmpdir(), 'belfry-redis-url-'));
const certFile = path.join(folder, 'cert.pem');
const keyFile = path.join(folder, 'key.pem');
const textFile = path.join(folder, 'text.pem');
writeFileSync(certFile, testTls.cert);
writeFileSync(keyFile, testTls.key);
writeFileSync(textFile, 'no certificate');
afterAll(() => rmSync(folder, { recursive: true }));

const plain = {
  mode: 'standalone',
  nodes: [{ host: 'redis', port: 6379 }],
  login: {},
  sentinelLogin: {},
  masterName: '',
  database: 0,
  tls: undefined,
};

const nodes = (...hosts: [string, number][]) => hosts.map(([host, port]) => ({ host, port }));

describe('parseRedisUrl', () => {
  test.each([
    ['redis://redis', {}],
    ['redis://redis:6380/3', { nodes: nodes(['redis', 6380]), database: 3 }],
    ['redis://:secret@redis', { login: { password: 'secret' } }],
    ['redis://shop:se:c%40ret@redis', { login: { username: 'shop', password: 'se:c@ret' } }],
    ['redis://shop:a@b@redis', { login: { username: 'shop', password: 'a@b' } }],
    ['redis://[::1]:6380', { nodes: nodes(['::1', 6380]) }],
    ['rediss://redis', { tls: {} }],
    [
      'redis+sentinel://:secret@a:1,b/main',
      {
        mode: 'sentinel',
        nodes: nodes(['a', 1], ['b', 26_379]),
        login: { password: 'secret' },
        masterName: 'main',
      },
    ],
    [
      'redis+sentinel://a/main/2?sentinel_username=w&sentinel_password=p%3F',
      {
        mode: 'sentinel',
        nodes: nodes(['a', 26_379]),
        masterName: 'main',
        database: 2,
        sentinelLogin: { username: 'w', password: 'p?' },
      },
    ],
    ['redis+cluster://a:1,b', { mode: 'cluster', nodes: nodes(['a', 1], ['b', 6379]) }],
    ['rediss+cluster://a/0', { mode: 'cluster', nodes: nodes(['a', 6379]), tls: {} }],
  ])('reads %s', (url, expected) => {
    expect(parseRedisUrl(url)).toEqual({ ...plain, ...expected });
  });

  test('reads the certificates that it names', () => {
    const url = `rediss://redis?cacert=${certFile}&cert=${certFile}&key=${keyFile}`;
    const [cert, key] = [testTls.cert.toString(), testTls.key.toString()];
    expect(parseRedisUrl(url)).toEqual({ ...plain, tls: { ca: cert, cert, key } });
  });

  test.each([
    ['redis', 'must look like redis://host:6379/0'],
    ['http://redis', 'must look like'],
    ['redis+sentinels://a/main', 'must look like'],
    ['redis://', 'must look like'],
    ['redis://secret@', 'must have host:port'],
    ['redis://redis:99999', 'ports up to 65535'],
    ['redis://redis:port', 'must have host:port'],
    ['redis://a,b', 'names several hosts'],
    ['redis://redis/shop', 'must end with the number of a database'],
    ['redis://:100%@redis', 'write %25 for a percent sign'],
    ['redis+sentinel://a', 'must end with the name of the primary'],
    ['redis+sentinel://a/main/x', 'must end with the number of a database'],
    ['redis+cluster://a/1', 'a Cluster has only database 0'],
    ['redis://redis?tls=true', 'must have no parameters after "?"'],
    ['redis://redis?cacert=/ca.pem', 'needs TLS: start it with rediss'],
    ['redis+cluster://a?sentinel_password=x', 'must have no parameters after "?"'],
    ['rediss://redis?ca=/ca.pem', 'it can have cacert, cert, key'],
    ['rediss://redis?cacert=/nowhere/ca.pem', 'cannot be read (ENOENT)'],
    [`rediss://redis?cert=${certFile}`, 'both cert and key'],
    [`rediss://redis?cert=${textFile}&key=${textFile}`, 'PEM form'],
  ])('refuses %s, and says what to write', (url, problem) => {
    expect(parseRedisUrl(url)).toEqual({ problem: expect.stringContaining(problem) });
  });

  test('repeats no password in a problem', () => {
    const answer = parseRedisUrl('redis://:hidden@a,b/x?password=hidden');
    expect(answer).toHaveProperty('problem');
    expect(JSON.stringify(answer)).not.toContain('hidden');
  });
});

describe('maskRedisUrl', () => {
  test.each([
    ['redis://redis:6379/0', 'redis://redis:6379/0'],
    ['redis://:hidden@redis', 'redis://:***@redis'],
    ['redis://shop:hid@den@redis', 'redis://shop:***@redis'],
    [
      'redis+sentinel://:hidden@a:1,b:2/main?sentinel_password=hidden',
      'redis+sentinel://:***@a:1,b:2/main?sentinel_password=***',
    ],
  ])('hides the passwords of %s', (url, masked) => {
    expect(maskRedisUrl(url)).toBe(masked);
  });
});

describe('addHashTag', () => {
  test('gives each group of keys a slot of its own in a Cluster', () => {
    expect(addHashTag('{belfry}', 'limit')).toBe('{belfry:limit}');
  });

  test('changes no key outside of a Cluster', () => {
    expect(addHashTag('belfry', 'limit')).toBe('belfry');
  });
});

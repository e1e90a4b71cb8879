import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { closeFolder } from './account';
import { startPostgres } from './postgres';
import { startRedis } from './redis';
import { queryRedis } from './redis-wire';
import { run } from './run';
import type { RunningStore } from './store';

jest.setTimeout(60_000);

const cacheDir = path.resolve(__dirname, '..', '..', '..', '.belfry', 'cache');
const isRoot = process.getuid?.() === 0;
let parent: string;
let postgres: RunningStore;
let redis: RunningStore;

beforeAll(async () => {
  parent = mkdtempSync(path.join(process.env['TEST_FOLDER'] ?? tmpdir(), 'belfry-access-'));
  await closeFolder(parent);
  postgres = await startPostgres({ dataDir: path.join(parent, 'postgres') });
  redis = await startRedis({ dataDir: path.join(parent, 'redis'), cacheDir, persistence: true });
  await queryRedis(redis.url, 'SET kept 7');
});

afterAll(async () => {
  await Promise.all([postgres.stop(), redis.stop()]);
  rmSync(parent, { recursive: true, force: true });
});

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

function changed(url: string, change: { username?: string; password?: string }): string {
  return Object.assign(new URL(url), change).href;
}

/** 0 for a file that a server has removed since. */
function getMode(place: string): number {
  return statSync(place, { throwIfNoEntry: false })?.mode ?? 0;
}

function listTree(place: string): string[] {
  if (!statSync(place, { throwIfNoEntry: false })?.isDirectory()) return [place];
  return [place, ...readdirSync(place).flatMap((name) => listTree(path.join(place, name)))];
}

// Over TCP a server cannot see the user of a client, so the test uses any process for another user's.
describe('PostgreSQL', () => {
  test('accepts only its own role with the password', async () => {
    const wrongUrl = changed(postgres.url, { password: 'wrong' });
    await expect(query(wrongUrl, 'SELECT 1')).rejects.toThrow('password authentication failed');
    const none = changed(postgres.url, { password: '' });
    await expect(query(none, 'SELECT 1')).rejects.toThrow(/password/);
    for (const username of ['belfry', 'postgres', 'nobody']) {
      const url = changed(postgres.url, { username });
      await expect(query(url, 'SELECT 1')).rejects.toThrow('no pg_hba.conf entry');
    }
  });

  test('stores the password as a SCRAM verifier and has no socket in the file system', () => {
    const data = path.join(postgres.folder, 'data');
    const lines = readFileSync(path.join(data, 'pg_hba.conf'), 'utf8').trim().split('\n');
    expect(lines).toEqual(['host all belfry_app 127.0.0.1/32 scram-sha-256']);
    const [, , , , sockets] = readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n');
    expect(sockets).toBe('');
  });

  test('gives the role no rights over the server or its files', async () => {
    const [rights] = await query(
      postgres.url,
      `SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
              (SELECT count(*)::int FROM pg_auth_members WHERE member = pg_roles.oid) AS groups
       FROM pg_roles WHERE rolname = current_user`,
    );
    expect(rights).toEqual({
      rolsuper: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolreplication: false,
      rolbypassrls: false,
      groups: 0,
    });
    for (const statement of [
      `COPY (SELECT 1) TO PROGRAM 'id'`,
      `COPY (SELECT 1) TO '/tmp/belfry-access'`,
      `SELECT pg_read_file('/etc/passwd')`,
      'SET ROLE belfry',
      'CREATE ROLE another',
      'CREATE DATABASE another',
      `ALTER SYSTEM SET fsync = off`,
    ]) {
      await expect(query(postgres.url, statement)).rejects.toThrow('permission denied');
    }
  });
});

describe('Redis', () => {
  test.each(['', 'AUTH wrong\r\n'])('refuses commands after "%s"', async (before) => {
    const answers = await new Promise<string>((resolve) => {
      const socket = net.connect({ host: '127.0.0.1', port: redis.port });
      socket.write(`${before}GET kept\r\nCONFIG GET requirepass\r\nQUIT\r\n`);
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text));
    });
    const isRefusal = (line: string) => /^(-NOAUTH|-WRONGPASS|\+OK$)/.test(line);
    expect(answers.trim().split('\r\n')).not.toEqual([]);
    expect(
      answers
        .trim()
        .split('\r\n')
        .filter((line) => !isRefusal(line)),
    ).toEqual([]);
  });
});

describe('the folders of both servers', () => {
  test('are accessible only to their owner, with all their files', () => {
    const places = [postgres.folder, redis.folder].flatMap(listTree);
    expect(places).toEqual(
      expect.arrayContaining([
        path.join(redis.folder, 'password'),
        path.join(redis.folder, 'redis.conf'),
        path.join(redis.folder, 'server.log'),
        path.join(postgres.folder, 'password'),
        path.join(postgres.folder, 'server.log'),
      ]),
    );
    expect(places.some((place) => place.endsWith('.aof'))).toBe(true);
    expect(places.filter((place) => (getMode(place) & 0o077) !== 0)).toEqual([]);
  });

  (isRoot ? test : test.skip).each([54_321, 65_534])(
    'are not accessible to user %i',
    async (uid) => {
      const open = path.join(tmpdir(), `belfry-access-${process.pid}-${uid}`);
      writeFileSync(open, '');
      const identity = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
      const printReadable = 'for file; do if [ -r "$file" ]; then echo "$file"; fi; done';
      const places = [open, postgres.folder, redis.folder].flatMap(listTree);
      const args = [...identity, '/bin/sh', '-c', printReadable, 'sh', ...places];
      const { stdout } = await run('setpriv', args, { timeoutMs: 30_000 });
      rmSync(open);
      expect(stdout.trim().split('\n')).toEqual([open]);
    },
  );

  test('keep the passwords secret: no command line and no log contains one', () => {
    const passwords = [postgres.url, redis.url].map((url) => new URL(url).password);
    const commands = [postgres.pid, redis.pid].map((pid) =>
      execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }),
    );
    const logs = [postgres.folder, redis.folder].map((folder) =>
      readFileSync(path.join(folder, 'server.log'), 'utf8'),
    );
    for (const text of [...commands, ...logs]) {
      for (const password of passwords) expect(text).not.toContain(password);
    }
  });
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Attack, Target } from './target';

const run = promisify(execFile);
const connectTimeoutMs = 5_000;

export const storeAttacks: Attack[] = [
  {
    kind: 'S5',
    title: 'PostgreSQL refuses a local user without the password',
    async run({ local }) {
      const { hostname, port, pathname } = new URL(local.ready.database_url);
      for (const user of ['belfry', 'postgres']) {
        const url = `postgresql://${user}@${hostname}:${port}${pathname}`;
        await assert.rejects(query(url, 'SELECT 1'), `${user} was let in`);
      }
    },
  },
  {
    kind: 'S5',
    title: 'Belfry’s own role is not a superuser and cannot start a program on the server',
    async run({ local }) {
      const { database_url: url } = local.ready;
      const [role] = await query(
        url,
        `SELECT rolsuper OR rolcreaterole OR rolbypassrls OR rolreplication AS mighty
           FROM pg_roles WHERE rolname = current_user`,
      );
      assert.deepEqual(role, { mighty: false });
      await assert.rejects(query(url, "COPY (SELECT 1) TO PROGRAM 'id'"), /permission|must be/);
      await assert.rejects(query(url, "SELECT pg_read_file('PG_VERSION')"), /permission/);
    },
  },
  {
    kind: 'S5',
    title: 'Redis refuses a local user without the password',
    async run({ local }) {
      const { hostname, port } = new URL(local.ready.redis_url);
      assert.match(await exchange(hostname, Number(port), 'KEYS *\r\n'), /^-NOAUTH/);
    },
  },
  {
    kind: 'S5',
    title: 'group and others can neither read nor write anything in .belfry',
    async run({ local }) {
      const home = path.join(local.folder, '.belfry');
      const open = [home, ...listElsewhere(home)].flatMap((place) => listOpen(place));
      assert.deepEqual(open, []);
    },
  },
  {
    kind: 'S5',
    title: 'another local user cannot read anything in .belfry',
    run: readAsAnother,
  },
  {
    kind: 'S5',
    title: 'the process list shows no password',
    async run({ local }) {
      const { stdout } = await run('ps', ['-eo', 'args']);
      const secrets = [local.ready.database_url, local.ready.redis_url]
        .map((url) => decodeURIComponent(new URL(url).password))
        .filter((secret) => secret !== '');
      assert.equal(secrets.length, 2, 'a store has no password');
      for (const secret of secrets) assert.ok(!stdout.includes(secret));
    },
  },
];

async function query(connectionString: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: connectTimeoutMs });
  // A server that ends the connection after the query reports that here.
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(sql)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

function exchange(host: string, port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, host, () => socket.write(text));
    socket.setTimeout(connectTimeoutMs, () => socket.destroy(new Error('Redis does not answer')));
    socket.once('error', reject);
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString());
    });
  });
}

/** The group may traverse: as root, the servers run in a group of their own. */
const modeOfOthers = 0o067;

/** Where a start as root puts PostgreSQL data that its user could not reach in the checkout. */
function listElsewhere(home: string): string[] {
  const file = path.join(home, 'postgres', 'elsewhere');
  return existsSync(file) ? [readFileSync(file, 'utf8').trim()] : [];
}

/** Unpacked packages of the system and of npm: only the owner may write, everybody may read. */
const programs = ['cache', 'node'];
const writeByOthers = 0o022;

function listOpen(place: string, forbidden = modeOfOthers): string[] {
  const stat = lstatSync(place);
  if (stat.isSymbolicLink()) return [];
  const mode = stat.mode & forbidden;
  const own = mode === 0 ? [] : [`${place} ${(stat.mode & 0o777).toString(8)}`];
  if (!stat.isDirectory()) return own;
  const isHome = path.basename(place) === '.belfry';
  const inner = (name: string) => (isHome && programs.includes(name) ? writeByOthers : forbidden);
  const names = readdirSync(place);
  return [...own, ...names.flatMap((name) => listOpen(path.join(place, name), inner(name)))];
}

const anotherUid = 1_234;

async function readAsAnother({ local }: Target): Promise<void> {
  // Only root can change its user; other users rely on the test of file modes.
  if (process.getuid?.() !== 0) return;
  const home = path.join(local.folder, '.belfry');
  const files = ['ready.json', 'keys', 'run.json', 'postgres', 'redis', 'logs'];
  for (const file of files) {
    const place = path.join(home, file);
    const ids = ['--reuid', `${anotherUid}`, '--regid', `${anotherUid}`, '--clear-groups'];
    const reading = run('setpriv', [...ids, 'sh', '-c', 'cat "$0" || ls "$0"', place]);
    await assert.rejects(reading, /Permission denied/, `${place} is readable`);
  }
}

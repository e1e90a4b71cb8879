import { once } from 'node:events';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { findFreePort } from '@belfry/embedded';
import {
  binaries,
  createFolder,
  query,
  runAsPostgres,
  spawnAsPostgres,
  waitUntilUp,
} from './debian-postgres';

/** PostgreSQL 15 that archives its WAL. */
export type ArchivingPostgres = {
  url: string;
  /** The URL of another, empty database of the server. */
  createDatabase(name: string): Promise<string>;
  /** Folders of the server's data, of its WAL archive, and for a base backup. */
  folders: { data: string; archive: string; backup: string };
  start(): Promise<void>;
  stop(): Promise<void>;
  remove(): Promise<void>;
};

const user = 'belfry_app';

export async function startArchivingPostgres(): Promise<ArchivingPostgres> {
  const folder = await createFolder('archiving');
  const inFolder = (name: string) => path.join(folder, name);
  const folders = { data: inFolder('data'), archive: inFolder('wal'), backup: inFolder('backup') };
  await runAsPostgres('mkdir', [folders.archive]);
  const port = await findFreePort();
  const getUrl = (name: string) => `postgresql://${user}@127.0.0.1:${port}/${name}`;
  const archive = `test ! -f ${folders.archive}/%f && cp %p ${folders.archive}/%f`;
  const settings = [
    ...[`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories='],
    ...[
      'wal_level=replica',
      'archive_mode=on',
      `archive_command=${archive}`,
      'max_connections=200',
    ],
  ];
  const flags = ['-D', folders.data, ...settings.flatMap((each) => ['-c', each])];
  let server: ReturnType<typeof spawnAsPostgres> | undefined;

  async function start(): Promise<void> {
    server = spawnAsPostgres(path.join(binaries, 'postgres'), flags);
    await waitUntilUp(getUrl('postgres'));
  }

  async function stop(): Promise<void> {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGINT');
    await ended;
  }

  async function createDatabase(name: string): Promise<string> {
    await query(getUrl('postgres'), `CREATE DATABASE ${name}`);
    return getUrl(name);
  }

  await runAsPostgres(path.join(binaries, 'initdb'), [
    ...['-D', folders.data, '-U', user, '--auth=trust', '--encoding=UTF8', '--locale=C'],
  ]);
  await start();
  return {
    url: await createDatabase('belfry'),
    createDatabase,
    folders,
    start,
    stop,
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

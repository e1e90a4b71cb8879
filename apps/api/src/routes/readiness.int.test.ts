import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrate } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { openDatabase, testDatabase } from '@belfry/testing';
import request from 'supertest';
import { createStoredGateway } from '../stored-gateway.fixture';

jest.setTimeout(60_000);

const migrations = path.resolve(__dirname, '..', '..', '..', '..', 'prisma', 'migrations');

/** Copies all migrations except the newest to a folder. */
function copyWithoutNewest(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'belfry-migrations-'));
  const names = readdirSync(migrations, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  for (const name of names.slice(0, -1)) {
    cpSync(path.join(migrations, name), path.join(folder, name), { recursive: true });
  }
  return folder;
}

async function createOwnDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const { url: serverUrl } = await testDatabase();
  const server = openDatabase({ url: serverUrl, poolSize: 2 });
  const name = `belfry_test_readiness_${newId()}`;
  await server.delivery.query(`CREATE DATABASE "${name}"`);
  const own = new URL(serverUrl);
  own.pathname = `/${name}`;
  return {
    url: own.href,
    async drop() {
      await server.delivery.query(`DROP DATABASE "${name}" WITH (FORCE)`);
      await server.close();
    },
  };
}

describe('GET /readyz', () => {
  test('returns 503 while the schema is one migration behind, and 200 once it is applied', async () => {
    const { url, drop } = await createOwnDatabase();
    const older = copyWithoutNewest();
    await migrate(url, older);
    const { server, close } = await createStoredGateway({ env: { DATABASE_URL: url } });
    const read = (place: string) => request(server).get(place);
    try {
      const behind = await read('/readyz');
      expect([behind.status, behind.body.code]).toEqual([503, 'unavailable']);
      expect((await read('/livez')).status).toBe(200);
      expect((await migrate(url, migrations)).applied).toHaveLength(1);
      const ready = await read('/readyz');
      expect([ready.status, ready.body]).toEqual([200, { status: 'ready' }]);
    } finally {
      await close();
      await drop();
      rmSync(older, { recursive: true });
    }
  });
});

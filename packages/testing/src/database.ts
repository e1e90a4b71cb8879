import { randomUUID } from 'node:crypto';
import { createDatabase as createPools, type Database } from '@belfry/database';
import { createDatabase, dropDatabase, withDatabase } from '@belfry/embedded';
import { createLogger } from '@belfry/runtime';
import { readTestEnv, workerId } from './test-env';

let clone: Promise<{ url: string }> | undefined;

/**
 * The database of this Jest worker, cloned from the migrated template on first use and shared by its test files.
 * A test creates its own account and asserts on that account's rows only.
 */
export function testDatabase(): Promise<{ url: string }> {
  clone ??= cloneTemplate();
  return clone;
}

/** A separate database for tests that count everything: workers would deliver leftovers in a shared one. */
export async function ownDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const templateUrl = readTestEnv('TEST_DATABASE_TEMPLATE_URL');
  const template = decodeURIComponent(new URL(templateUrl).pathname.slice(1));
  const name = `${template}_${randomUUID()}`;
  await createDatabase(templateUrl, name, template);
  return { url: withDatabase(templateUrl, name), drop: () => dropDatabase(templateUrl, name) };
}

async function cloneTemplate(): Promise<{ url: string }> {
  const templateUrl = readTestEnv('TEST_DATABASE_TEMPLATE_URL');
  const template = decodeURIComponent(new URL(templateUrl).pathname.slice(1));
  const name = `${template}_w${workerId()}`;
  await createDatabase(templateUrl, name, template);
  return { url: withDatabase(templateUrl, name) };
}

/** A test is patient: processes beside it may take both cores, or a pause of the machine may take seconds. */
const connectTimeoutMs = 15_000;

/** The pools of a test. Warnings are not logged. */
export function openDatabase(options: { url: string; poolSize: number }): Database {
  const log = createLogger({ level: 'error', process: 'test' });
  return createPools({ ...options, log, connectTimeoutMs });
}

import { randomUUID } from 'node:crypto';
import { createDatabase, dropDatabase, withDatabase } from '@belfry/embedded';
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

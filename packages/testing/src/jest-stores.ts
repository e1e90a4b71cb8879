import path from 'node:path';
import { repositoryRoot, startTestStores, type TestStores } from './test-stores';

let stores: TestStores | undefined;

/**
 * Jest's global set-up of the projects that need stores. `npm test` has started them already; a run without it, such as
 * `npx jest --selectProjects int`, starts its own here.
 */
export default async function startStores(): Promise<void> {
  if (process.env['TEST_DATABASE_TEMPLATE_URL'] && process.env['TEST_REDIS_URL']) return;
  stores = await startTestStores({
    folder: path.join(repositoryRoot, '.belfry', 'test'),
    databaseUrl: process.env['DATABASE_URL'],
    redisUrl: process.env['REDIS_URL'],
    onProgress: ({ step, elapsedMs, isDone }) => {
      if (isDone) process.stderr.write(`${step} (${elapsedMs} ms)\n`);
    },
  });
  Object.assign(process.env, stores.env);
}

/** Used by jest-stores-end.ts, which Jest loads as a separate module. */
export async function endStores(): Promise<void> {
  await stores?.stop();
  stores = undefined;
}

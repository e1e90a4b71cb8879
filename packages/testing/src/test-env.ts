import { randomInt } from 'node:crypto';

export function readTestEnv(name: 'TEST_DATABASE_TEMPLATE_URL' | 'TEST_REDIS_URL'): string {
  const value = process.env[name];
  if (!value) {
    throw new Error(
      `${name} is not set. Put a test that needs a store in a file of the Jest project int, e2e or fault`,
    );
  }
  return value;
}

export function workerId(): number {
  return Number(process.env['JEST_WORKER_ID'] ?? 1);
}

/** Whether property tests run at full size. */
export function isFullRun(): boolean {
  return process.env['TEST_FULL'] === '1';
}

/** The same values each time in the short run; new ones each time in the full run. TEST_SEED repeats a run. */
export function readRunSeed(usual: number): number {
  return Number(process.env['TEST_SEED'] ?? (isFullRun() ? randomInt(2 ** 30) : usual));
}

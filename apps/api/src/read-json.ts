import { setImmediate } from 'node:timers/promises';
import { type Awaitable, createYieldWhenDue } from '@belfry/runtime';
import { type Json, parseJson, parseJsonInSteps, withoutNulls } from '@belfry/shared';
import type { RunInSequence } from './account-queue';
import { smallBodyBytes } from './middleware/body-memory';

/** The value of a body, without the members that are null; see withoutNulls. */
export type ReadJson = (bytes: Buffer, accountId: string) => Awaitable<Json>;

const yieldEveryMs = 1;

export function isLarge(bytes: Buffer): boolean {
  return bytes.length > smallBodyBytes;
}

/** Reads a large body in steps, one such body at a time: steps of several would add up to one long one. */
export function createReadJson(runInSequence: RunInSequence): ReadJson {
  return function readJson(bytes, accountId) {
    if (!isLarge(bytes)) return withoutNulls(parseJson(bytes));
    return runInSequence(accountId, () => readInSteps(bytes));
  };
}

async function readInSteps(bytes: Buffer): Promise<Json> {
  // What its last bytes took to arrive and to be put together.
  await setImmediate();
  const yieldWhenDue = createYieldWhenDue(yieldEveryMs);
  const body = await parseJsonInSteps(bytes, { isBatch: false, yieldWhenDue });
  await yieldWhenDue();
  const compactBody = withoutNulls(body);
  await yieldWhenDue();
  return compactBody;
}

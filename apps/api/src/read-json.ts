import { setImmediate } from 'node:timers/promises';
import { type Awaitable, createYieldWhenDue } from '@belfry/runtime';
import { type Json, parseJson, parseJsonInSteps, withoutNulls } from '@belfry/shared';
import type { RunInSequence } from './account-queue';
import { smallBodyBytes } from './middleware/body-memory';

/** Parses a body and drops null members; see withoutNulls. */
export type ReadJson = (bytes: Buffer, accountId: string) => Awaitable<Json>;

const yieldEveryMs = 1;

export function isLarge(bytes: Buffer): boolean {
  return bytes.length > smallBodyBytes;
}

/** Parses large bodies in steps and one at a time, because the steps of several bodies would add up to a long block. */
export function createReadJson(runInSequence: RunInSequence): ReadJson {
  return function readJson(bytes, accountId) {
    if (!isLarge(bytes)) return withoutNulls(parseJson(bytes));
    return runInSequence(accountId, () => readInSteps(bytes));
  };
}

async function readInSteps(bytes: Buffer): Promise<Json> {
  // Receiving and copying the last bytes took time already.
  await setImmediate();
  const yieldWhenDue = createYieldWhenDue(yieldEveryMs);
  const body = await parseJsonInSteps(bytes, { isBatch: false, yieldWhenDue });
  await yieldWhenDue();
  const compactBody = withoutNulls(body);
  await yieldWhenDue();
  return compactBody;
}

import { setImmediate } from 'node:timers/promises';
import { type Awaitable, createYieldWhenDue } from '@belfry/runtime';
import { type Json, parseJson, parseJsonInSteps, withoutNulls } from '@belfry/shared';
import type { InTurn } from './turns';

/** The value of a body, without the members that are null; see withoutNulls. */
export type ReadJson = (bytes: Buffer) => Awaitable<Json>;

/** Up to it, reading a body takes no longer than many other things. */
const largeBytes = 64 * 1024;
const yieldEveryMs = 1;

export function isLarge(bytes: Buffer): boolean {
  return bytes.length > largeBytes;
}

/** Reads a large body in steps, one such body at a time: steps of several would add up to one long one. */
export function createReadJson(inTurn: InTurn): ReadJson {
  return function readJson(bytes) {
    return isLarge(bytes) ? inTurn(() => readInSteps(bytes)) : withoutNulls(parseJson(bytes));
  };
}

async function readInSteps(bytes: Buffer): Promise<Json> {
  // What its last bytes took to arrive and to be put together.
  await setImmediate();
  const yieldWhenDue = createYieldWhenDue(yieldEveryMs);
  const body = await parseJsonInSteps(bytes, { isBatch: false, yieldWhenDue });
  await yieldWhenDue();
  const given = withoutNulls(body);
  await yieldWhenDue();
  return given;
}

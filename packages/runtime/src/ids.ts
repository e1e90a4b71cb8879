import { randomUUID } from 'node:crypto';

const largestCounter = 0xfff;
/** Where the variant and the last 62 random bits of a UUID start. */
const randomStart = 19;
let lastMs = 0;
let counter = 0;
/** The time of `lastMs`, and the version. Each millisecond of a bulk request has many ids. */
let prefix = '';

/** A UUID v7 (RFC 9562, section 5.7): ordered by time, and by a counter within a millisecond of one process. */
export function newId(): string {
  advance(Date.now());
  const count = counter.toString(16).padStart(3, '0');
  return `${prefix}${count}-${randomUUID().slice(randomStart)}`;
}

function advance(nowMs: number): void {
  const isFull = counter === largestCounter;
  if (nowMs <= lastMs && !isFull) {
    counter += 1;
    return;
  }
  lastMs = Math.max(nowMs, lastMs + 1);
  counter = 0;
  const time = lastMs.toString(16).padStart(12, '0');
  prefix = `${time.slice(0, 8)}-${time.slice(8)}-7`;
}

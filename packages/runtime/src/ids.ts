import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(4096);
const hexCharacters = 16;
/** Random bytes of the pool in hex. Converting them at once is faster than for each id. */
let random = '';
let used = 0;
let lastMs = 0;
let sequence = 0;
let time = '';

/** A UUID v7 (RFC 9562, section 5.7): ordered by time, and by a counter within a millisecond of one process. */
export function newId(): string {
  if (used + hexCharacters > random.length) {
    random = randomFillSync(pool).toString('hex');
    used = 0;
  }
  const digits = random.slice(used, used + hexCharacters);
  used += hexCharacters;
  advance(Number.parseInt(digits.slice(0, 4), 16));
  const variant = variants[Number.parseInt(digits.charAt(0), 16) & 0x3];
  const counter = sequence.toString(16).padStart(3, '0');
  return `${time}-7${counter}-${variant}${digits.slice(1, 4)}-${digits.slice(4)}`;
}

const variants = ['8', '9', 'a', 'b'] as const;

/** `start` is the initial counter of a new millisecond, in its lower half. */
function advance(start: number): void {
  const now = Date.now();
  if (now > lastMs) {
    goTo(now);
    sequence = start & 0x7ff;
    return;
  }
  sequence += 1;
  if (sequence <= 0xfff) return;
  goTo(lastMs + 1);
  sequence = 0;
}

function goTo(ms: number): void {
  lastMs = ms;
  const digits = ms.toString(16).padStart(12, '0');
  time = `${digits.slice(0, 8)}-${digits.slice(8)}`;
}

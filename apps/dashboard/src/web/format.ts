const minute = 60_000;
const hour = 60 * minute;

/** `6 ms`, `4.1 s`, `4.12 s`, `3 m 57 s`, `2 h 5 m`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1_000).toFixed(ms % 100 === 0 ? 1 : 2)} s`;
  if (ms < minute) return `${Math.round(ms / 1_000)} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} m ${Math.floor((ms % minute) / 1_000)} s`;
  if (ms < 48 * hour) return `${Math.floor(ms / hour)} h ${Math.floor((ms % hour) / minute)} m`;
  return `${Math.floor(ms / (24 * hour))} d`;
}

export function count(value: number, limit?: number): string {
  const text = value.toLocaleString('en-US');
  return limit !== undefined && value >= limit ? `${text}+` : text;
}

/** Messages per second: `0.0`, `0.03`, `99.9`, `2,759`. A rate above 0 is never shown as 0. */
export function rate(perSecond: number): string {
  if (perSecond >= 100) return count(Math.round(perSecond));
  return perSecond > 0 && perSecond < 0.1 ? perSecond.toPrecision(1) : perSecond.toFixed(1);
}

export function plural(value: number, noun: string, nouns = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : nouns}`;
}

export function bytes(size: number): string {
  if (size < 1_024) return `${size} bytes`;
  return `${Number((size / 1_024).toFixed(1))} KB`;
}

const units = [
  { unit: 'day', ms: 24 * hour },
  { unit: 'hour', ms: hour },
  { unit: 'minute', ms: minute },
] as const;

/** `3 days ago`, in the largest unit that fits. */
export function ago(ms: number, now: number = Date.now()): string {
  const passedMs = Math.max(0, now - ms);
  const { unit, ms: unitMs } = units.find((one) => passedMs >= one.ms) ?? { unit: 'now', ms: 1 };
  return unit === 'now' ? 'just now' : `${plural(Math.floor(passedMs / unitMs), unit)} ago`;
}

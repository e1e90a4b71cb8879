const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

const maxRelativeMs = 7 * 86_400_000;

/** "2 hours ago", or the date after a week. */
export function formatTime(language: string, timestamp: number, nowMs: number): string {
  const locales = findLocales(language);
  const agoMs = nowMs - timestamp;
  if (agoMs >= maxRelativeMs) {
    return new Intl.DateTimeFormat(locales, { dateStyle: 'medium' }).format(timestamp);
  }
  const format = new Intl.RelativeTimeFormat(locales, { numeric: 'auto', style: 'short' });
  const [unit, unitMs] = units.find(([, ms]) => agoMs >= ms) ?? (['second', 1_000] as const);
  // A clock that is a little late must not show the future, and seconds would change all the time.
  return format.format(unit === 'second' ? 0 : -Math.floor(agoMs / unitMs), unit);
}

export function formatFullTime(language: string, timestamp: number): string {
  const style = { dateStyle: 'full', timeStyle: 'short' } as const;
  return new Intl.DateTimeFormat(findLocales(language), style).format(timestamp);
}

export function formatNumber(language: string, value: number): string {
  return new Intl.NumberFormat(findLocales(language)).format(value);
}

/** Undefined, the language of the browser, for a tag that is not well-formed. */
function findLocales(language: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(language)[0];
  } catch {
    return undefined;
  }
}

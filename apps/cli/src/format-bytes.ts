const units = { KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/** Such as `1.5 GB`; below 1 KB in bytes. */
export function formatBytes(bytes: number): string {
  const [unit, size] = Object.entries(units).findLast(([, size]) => bytes >= size) ?? ['B', 1];
  return `${Math.round((bytes / size) * 10) / 10} ${unit}`;
}

const sizePattern = /^(\d{1,9}(?:\.\d{1,3})?) ?(MB|GB|TB)$/i;

/** Parses sizes such as `500MB` or `1.5 GB`; undefined for anything else and for 0. */
export function parseBytes(text: string): number | undefined {
  const [, amount = '', unit = ''] = sizePattern.exec(text) ?? [];
  const size = Object.entries(units).find(([name]) => name === unit.toUpperCase())?.[1] ?? 0;
  return Math.round(Number(amount) * size) || undefined;
}

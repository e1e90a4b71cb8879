const units = { KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/** Such as 1.5 GB; below a kilobyte the bytes. */
export function formatBytes(bytes: number): string {
  const [unit, size] = Object.entries(units).findLast(([, size]) => bytes >= size) ?? ['B', 1];
  return `${Math.round((bytes / size) * 10) / 10} ${unit}`;
}

const sizeForm = /^(\d{1,9}(?:\.\d{1,3})?) ?(MB|GB|TB)$/i;

/** `500MB`, `1.5 GB`: in bytes; undefined for anything else, and for nothing. */
export function parseBytes(text: string): number | undefined {
  const [, amount = '', unit = ''] = sizeForm.exec(text) ?? [];
  const size = Object.entries(units).find(([name]) => name === unit.toUpperCase())?.[1] ?? 0;
  return Math.round(Number(amount) * size) || undefined;
}

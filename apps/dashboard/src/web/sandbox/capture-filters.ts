import type { CaptureFilters } from '../../api/captures';

const names = ['channel', 'event', 'text'] as const satisfies readonly (keyof CaptureFilters)[];

/** Filters in the URL of the page. */
export function readCaptureFilters(search: string): CaptureFilters {
  const params = new URLSearchParams(search);
  const filters: CaptureFilters = {};
  for (const name of names) {
    const value = params.get(name);
    if (value) filters[name] = value;
  }
  return filters;
}

export function writeCaptureFilters(filters: CaptureFilters): string {
  return new URLSearchParams(Object.entries(filters).filter(([, value]) => value)).toString();
}

import type { CaptureFilters } from '../../api/captures';
import { anyText, readParams } from '../link-params';

const rules = { channel: anyText, event: anyText, text: anyText, tab: anyText };

export function readCaptureParams(search: string) {
  return readParams(search, rules);
}

/** Filters in the URL of the page. */
export function readCaptureFilters(search: string): CaptureFilters {
  const { tab: _, ...filters } = readCaptureParams(search).values;
  return filters;
}

export function writeCaptureFilters(filters: CaptureFilters): string {
  return new URLSearchParams(Object.entries(filters).filter(([, value]) => value)).toString();
}

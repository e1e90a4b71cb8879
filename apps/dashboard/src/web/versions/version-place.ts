/** What an event's address says of its versions: which one is looked at, and beside which other. */
export type VersionPlace = { version: string; against: string | undefined };

/** In place of an id: what is edited now. */
export const draftName = 'draft';

/** Undefined where the address is that of the editor. */
export function readVersionPlace(search: string): VersionPlace | undefined {
  const params = new URLSearchParams(search);
  const version = params.get('version');
  return version === null ? undefined : { version, against: params.get('against') || undefined };
}

/** The search of an address that shows a version. */
export function versionSearch(version: string, against?: string): string {
  return new URLSearchParams({ version, ...(against ? { against } : {}) }).toString();
}

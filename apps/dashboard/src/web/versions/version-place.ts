/** What an event's address says of its versions: which one is looked at, and beside which other. */
export type VersionPlace = { version: string; against: string | undefined };

/** In place of an id: what is edited now. */
export const draftName = 'draft';

/** Undefined where the address is that of the editor. */
export function readVersionPlace(search: string): VersionPlace | undefined {
  const given = new URLSearchParams(search);
  const version = given.get('version');
  return version === null ? undefined : { version, against: given.get('against') || undefined };
}

/** The search of an address that shows a version. */
export function versionSearch(version: string, against?: string): string {
  return new URLSearchParams({ version, ...(against ? { against } : {}) }).toString();
}

/** The viewed version and the compared version in the URL of an event. */
export type VersionPlace = { version: string; against: string | undefined };

/** Used instead of an id for the edited draft. */
export const draftName = 'draft';

/** Undefined for the URL of the editor. */
export function readVersionPlace(search: string): VersionPlace | undefined {
  const params = new URLSearchParams(search);
  const version = params.get('version');
  return version === null ? undefined : { version, against: params.get('against') || undefined };
}

/** Query string of a URL that shows a version. */
export function versionSearch(version: string, against?: string): string {
  return new URLSearchParams({ version, ...(against ? { against } : {}) }).toString();
}

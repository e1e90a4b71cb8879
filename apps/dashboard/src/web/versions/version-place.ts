import { isUuid } from '@belfry/shared';
import { readParams } from '../link-params';

/** The viewed version and the compared version in the URL of an event. */
export type VersionPlace = { version: string; against: string | undefined };

/** Used instead of an id for the edited draft. */
export const draftName = 'draft';

const isVersion = (value: string) => value === draftName || isUuid(value);
const rules = {
  version: { isValid: isVersion, problem: 'a version that is not an ID' },
  against: { isValid: isVersion, problem: 'a version to compare that is not an ID' },
};

/** `place` is undefined for the URL of the editor. */
export function readVersionPlace(search: string): {
  place: VersionPlace | undefined;
  ignored: string[];
} {
  const { values, ignored } = readParams(search, rules);
  const { version, against } = values;
  return { place: version === undefined ? undefined : { version, against }, ignored };
}

/** Query string of a URL that shows a version. */
export function versionSearch(version: string, against?: string): string {
  return new URLSearchParams({ version, ...(against ? { against } : {}) }).toString();
}

import type { Recipient } from '@belfry/shared';
import type { Targeting } from '../channel';

const maxCharacters = 128;
/** What programs write where they have no id; OneSignal refuses them, as one of them may be on a million devices. */
const placeholders = new Set([
  ...['0', '1', '-1', 'na', 'n/a', 'null', 'nil', 'none', 'undefined', 'unknown', 'unqualified'],
  ...['nan', 'all', 'not set', 'ok', 'true', 'false'],
]);
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]|\p{Surrogate}/u;

/** By external id, one person a request: a wrong id fails no message but its own. */
export function findOnesignalTargets({ onesignalExternalId }: Recipient): Targeting {
  const given = onesignalExternalId?.trim();
  if (!given) return { skip: 'no_address', detail: 'The recipient has no onesignal_external_id.' };
  const problem = problemOf(given);
  if (problem === undefined) return { targets: [{ address: given }] };
  return { skip: 'invalid_address', detail: `onesignal_external_id ${problem}.` };
}

function problemOf(id: string): string | undefined {
  if (id.length > maxCharacters) {
    return `has ${id.length} characters; the limit is ${maxCharacters}`;
  }
  if (controlCharacter.test(id)) return 'holds a control character';
  return placeholders.has(id.toLowerCase()) ? `"${id}" stands for nobody` : undefined;
}

/** sandbox+bounce */
export function findMagicWordOfOnesignal(target: string): string | undefined {
  return /^sandbox\+([a-z]+)$/i.exec(target)?.[1]?.toLowerCase();
}

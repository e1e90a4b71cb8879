import type { Recipient } from '@belfry/shared';
import type { AppDefaults, Targeting } from '../channel';
import { parsePhoneNumber } from '../phone-number';

export function findSmsTargets(
  { mobile }: Recipient,
  { defaultRegion }: AppDefaults = {},
): Targeting {
  const given = mobile?.trim();
  if (!given) return { skip: 'no_address', detail: 'The recipient has no mobile.' };
  const parsed = parsePhoneNumber(given, defaultRegion);
  if ('problem' in parsed) {
    return { skip: 'invalid_address', detail: `mobile "${given}" ${parsed.problem}.` };
  }
  return { targets: [parsed] };
}

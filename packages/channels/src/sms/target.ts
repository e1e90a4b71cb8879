import type { Recipient } from '@belfry/shared';
import type { AppDefaults, Targeting } from '../channel';
import { parsePhoneNumber } from '../phone-number';

export function findSmsTargets(
  { mobile }: Recipient,
  { defaultRegion }: AppDefaults = {},
): Targeting {
  const number = mobile?.trim();
  if (!number) return { skip: 'no_address', detail: 'The recipient has no mobile.' };
  const parsed = parsePhoneNumber(number, defaultRegion);
  if ('problem' in parsed) {
    return { skip: 'invalid_address', detail: `mobile "${number}" ${parsed.problem}.` };
  }
  return { targets: [parsed] };
}

import type { Recipient } from '@belfry/shared';
import type { AppDefaults, Targeting } from '../channel';
import { parsePhoneNumber } from '../phone-number';

/** The WhatsApp number, or else the mobile: most people use one number for both. */
export function findWhatsappTargets(
  { whatsappMobile, mobile }: Recipient,
  { defaultRegion }: AppDefaults = {},
): Targeting {
  const [field, number] = whatsappMobile?.trim()
    ? ['whatsapp_mobile', whatsappMobile]
    : ['mobile', mobile?.trim()];
  if (!number) {
    return { skip: 'no_address', detail: 'The recipient has no whatsapp_mobile and no mobile.' };
  }
  const parsed = parsePhoneNumber(number, defaultRegion);
  if ('problem' in parsed) {
    return { skip: 'invalid_address', detail: `${field} "${number}" ${parsed.problem}.` };
  }
  return { targets: [parsed] };
}

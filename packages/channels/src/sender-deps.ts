import type { SenderDeps } from './channel';
import { parsePrivateHosts } from './public-address';

/** The settings that say where senders call; an empty address is the provider's own. */
type SenderSettings = Record<
  | 'SLACK_API_URL'
  | 'TWILIO_API_URL'
  | 'META_API_URL'
  | 'TELEGRAM_API_URL'
  | 'FCM_API_URL'
  | 'ONESIGNAL_API_URL'
  | 'ALLOWED_PRIVATE_HOSTS',
  string
>;

export function senderDepsOf(settings: SenderSettings): SenderDeps {
  return {
    baseUrls: {
      slack: settings.SLACK_API_URL || undefined,
      twilio: settings.TWILIO_API_URL || undefined,
      meta: settings.META_API_URL || undefined,
      telegram: settings.TELEGRAM_API_URL || undefined,
      fcm: settings.FCM_API_URL || undefined,
      onesignal: settings.ONESIGNAL_API_URL || undefined,
    },
    allowedPrivateHosts: parsePrivateHosts(settings.ALLOWED_PRIVATE_HOSTS),
  };
}

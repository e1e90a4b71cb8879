import type { SenderDeps } from './channel';
import { parsePrivateHosts } from './public-address';

/** The settings with the senders' base URLs; an empty one means the provider's own. */
type SenderSettings = Record<
  | 'SLACK_API_URL'
  | 'TWILIO_API_URL'
  | 'META_API_URL'
  | 'TELEGRAM_API_URL'
  | 'FCM_API_URL'
  | 'ONESIGNAL_API_URL'
  | 'WEB_PUSH_API_URL'
  | 'RESEND_API_URL'
  | 'MAILGUN_API_URL'
  | 'SENDGRID_API_URL'
  | 'POSTMARK_API_URL'
  | 'ALLOWED_PRIVATE_HOSTS',
  string
>;

export function createSenderDeps(env: SenderSettings): SenderDeps {
  return {
    baseUrls: {
      slack: env.SLACK_API_URL || undefined,
      twilio: env.TWILIO_API_URL || undefined,
      meta: env.META_API_URL || undefined,
      telegram: env.TELEGRAM_API_URL || undefined,
      fcm: env.FCM_API_URL || undefined,
      onesignal: env.ONESIGNAL_API_URL || undefined,
      web_push: env.WEB_PUSH_API_URL || undefined,
      resend: env.RESEND_API_URL || undefined,
      mailgun: env.MAILGUN_API_URL || undefined,
      sendgrid: env.SENDGRID_API_URL || undefined,
      postmark: env.POSTMARK_API_URL || undefined,
    },
    allowedPrivateHosts: parsePrivateHosts(env.ALLOWED_PRIVATE_HOSTS),
  };
}

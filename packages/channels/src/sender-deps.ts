import type { SenderDeps } from './channel';
import { parsePrivateHosts } from './public-address';

/** The setting of each provider's base URL. */
const baseUrlSettings = {
  slack: 'SLACK_API_URL',
  twilio: 'TWILIO_API_URL',
  meta: 'META_API_URL',
  telegram: 'TELEGRAM_API_URL',
  fcm: 'FCM_API_URL',
  onesignal: 'ONESIGNAL_API_URL',
  web_push: 'WEB_PUSH_API_URL',
  mailgun: 'MAILGUN_API_URL',
  postmark: 'POSTMARK_API_URL',
  resend: 'RESEND_API_URL',
  sendgrid: 'SENDGRID_API_URL',
  ses: 'SES_API_URL',
} as const;

type BaseUrlSetting = (typeof baseUrlSettings)[keyof typeof baseUrlSettings];

/** The settings with the senders' base URLs; an empty one means the provider's own. */
type SenderSettings = Record<BaseUrlSetting | 'ALLOWED_PRIVATE_HOSTS', string>;

export function createSenderDeps(env: SenderSettings): SenderDeps {
  return {
    baseUrls: Object.fromEntries(
      Object.entries(baseUrlSettings).map(([name, setting]) => [name, env[setting] || undefined]),
    ),
    allowedPrivateHosts: parsePrivateHosts(env.ALLOWED_PRIVATE_HOSTS),
  };
}

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
  | 'MAILGUN_API_URL'
  | 'POSTMARK_API_URL'
  | 'RESEND_API_URL'
  | 'SENDGRID_API_URL'
  | 'SES_API_URL'
  | 'ALLOWED_PRIVATE_HOSTS',
  string
>;

export function createSenderDeps(env: SenderSettings): SenderDeps {
  const urls = {
    slack: env.SLACK_API_URL,
    twilio: env.TWILIO_API_URL,
    meta: env.META_API_URL,
    telegram: env.TELEGRAM_API_URL,
    fcm: env.FCM_API_URL,
    onesignal: env.ONESIGNAL_API_URL,
    web_push: env.WEB_PUSH_API_URL,
    mailgun: env.MAILGUN_API_URL,
    postmark: env.POSTMARK_API_URL,
    resend: env.RESEND_API_URL,
    sendgrid: env.SENDGRID_API_URL,
    ses: env.SES_API_URL,
  };
  return {
    baseUrls: Object.fromEntries(
      Object.entries(urls).map(([name, url]) => [name, url || undefined]),
    ),
    allowedPrivateHosts: parsePrivateHosts(env.ALLOWED_PRIVATE_HOSTS),
  };
}

import { createMailApiSubject } from './email/api/mail-api.subject.fixture';
import { mailServices } from './email/api/mail-services.fixture';
import { smtpSubject } from './email/smtp.subject.fixture';
import { onesignalSubject } from './onesignal/onesignal.subject.fixture';
import type { Subject } from './provider-subject.fixture';
import { fcmSubject } from './push/fcm.subject.fixture';
import { webPushSubject } from './push/web-push.subject.fixture';
import { channels } from './registry';
import { slackSubject } from './slack/slack.subject.fixture';
import { twilioSmsSubject } from './sms/twilio.subject.fixture';
import { telegramSubject } from './telegram/telegram.subject.fixture';
import { metaSubject } from './whatsapp/meta.subject.fixture';
import { twilioWhatsappSubject } from './whatsapp/twilio.subject.fixture';

/** Every provider with a network call, by channel and name. */
export const subjects: Record<string, Subject> = {
  'email/smtp': smtpSubject,
  ...Object.fromEntries(
    mailServices.map((service) => [`email/${service.name}`, createMailApiSubject(service)]),
  ),
  'slack/slack': slackSubject,
  'sms/twilio': twilioSmsSubject,
  'whatsapp/meta': metaSubject,
  'telegram/telegram': telegramSubject,
  'whatsapp/twilio': twilioWhatsappSubject,
  'push/fcm': fcmSubject,
  'push/web_push': webPushSubject,
  'onesignal/onesignal': onesignalSubject,
};

/** Nothing leaves the process, so there is no connection to break and no credential to leak. */
export const withoutNetwork = ['in_app/inbox'];

/** All names of the registry, as `<channel>/<provider>`. */
export function listProviders(): string[] {
  return Object.entries(channels).flatMap(([channel, { providers }]) =>
    Object.keys(providers).map((provider) => `${channel}/${provider}`),
  );
}

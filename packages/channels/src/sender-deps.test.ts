import { createSenderDeps } from './sender-deps';

const settings = {
  SLACK_API_URL: '',
  TWILIO_API_URL: '',
  META_API_URL: '',
  TELEGRAM_API_URL: '',
  FCM_API_URL: '',
  ONESIGNAL_API_URL: '',
  WEB_PUSH_API_URL: '',
  RESEND_API_URL: '',
  SES_API_URL: '',
  MAILGUN_API_URL: '',
  SENDGRID_API_URL: '',
  POSTMARK_API_URL: '',
  ALLOWED_PRIVATE_HOSTS: '',
};

describe('the base URL of a provider', () => {
  const providers = [
    'slack',
    'twilio',
    'meta',
    'telegram',
    'fcm',
    'onesignal',
    'web_push',
    'resend',
    'ses',
    'mailgun',
    'sendgrid',
    'postmark',
  ];

  test.each(providers)('of %s is that of its own setting, and of no other', (provider) => {
    const env = { ...settings, [`${provider.toUpperCase()}_API_URL`]: 'http://127.0.0.1:9' };
    const { baseUrls } = createSenderDeps(env);
    expect(baseUrls).toEqual({ [provider]: 'http://127.0.0.1:9' });
  });
});

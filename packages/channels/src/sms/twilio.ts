import { createTwilioProvider } from '../twilio/provider';
import type { SmsContent } from './template';

export const twilioSms = createTwilioProvider<SmsContent>({
  scheme: '',
  senders: ['number', 'short_code', 'name', 'service'],
  senderHint:
    'A number with its country code, a short code, up to 11 letters and digits, or a messaging service (MG…).',
  read: ({ text, sender }) => ({ message: { Body: text }, ...(sender ? { sender } : {}) }),
});

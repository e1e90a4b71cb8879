import type { Channel } from '../channel';
import { findMagicWordOfPhone } from '../phone-number';
import { compileSms } from './compose';
import { findSmsTargets } from './target';
import {
  type SmsContent,
  type SmsOverride,
  type SmsTemplate,
  smsOverride,
  smsTemplate,
} from './template';
import { twilioSms } from './twilio';

export const sms: Channel<SmsTemplate, SmsOverride, SmsContent> = {
  label: 'SMS',
  template: smsTemplate,
  override: smsOverride,
  recipient: {},
  deadlineMs: 15_000,
  unknownResends: 1,
  findTargets: findSmsTargets,
  compile: compileSms,
  findMagicWord: findMagicWordOfPhone,
  providers: { twilio: twilioSms },
};

import type { Channel } from '../channel';
import { findMagicWordOfPhone } from '../phone-number';
import { compileWhatsapp } from './compose';
import { meta } from './meta';
import { findWhatsappTargets } from './target';
import {
  type WhatsappContent,
  type WhatsappOverride,
  type WhatsappTemplate,
  whatsappOverride,
  whatsappTemplate,
} from './template';
import { twilioWhatsapp } from './twilio';

export const whatsapp: Channel<WhatsappTemplate, WhatsappOverride, WhatsappContent> = {
  label: 'WhatsApp',
  template: whatsappTemplate,
  override: whatsappOverride,
  recipient: {},
  deadlineMs: 15_000,
  unknownResends: 1,
  findTargets: findWhatsappTargets,
  compile: compileWhatsapp,
  findMagicWord: findMagicWordOfPhone,
  providers: { meta, twilio: twilioWhatsapp },
};

import type { Channel } from '../channel';
import { fetchTimeoutMs } from '../guarded-fetch';
import { findEmailTargets, findMagicWordOfEmail } from './address';
import { mailgun } from './api/mailgun';
import { postmark } from './api/postmark';
import { resend } from './api/resend';
import { sendgrid } from './api/sendgrid';
import { ses } from './api/ses';
import { compileEmail } from './compose';
import { smtp } from './smtp';
import {
  type EmailContent,
  type EmailOverride,
  type EmailTemplate,
  emailOverride,
  emailTemplate,
} from './template';

/** Wait for a connection that was not reserved, for example after a failover. */
const connectionWaitMs = 5_000;

export const email: Channel<EmailTemplate, EmailOverride, EmailContent> = {
  label: 'E-mail',
  template: emailTemplate,
  override: emailOverride,
  recipient: {},
  deadlineMs: 40_000,
  preparationMs: fetchTimeoutMs + connectionWaitMs,
  // The second attempt has the same Message-ID, so receivers can drop the duplicate.
  unknownResends: 2,
  hasListHeaders: true,
  findTargets: findEmailTargets,
  compile: compileEmail,
  findMagicWord: findMagicWordOfEmail,
  providers: { smtp, mailgun, postmark, resend, sendgrid, ses },
};

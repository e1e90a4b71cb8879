import type { MailService } from './mail-api.subject.fixture';
import { mailgunService } from './mailgun.subject.fixture';
import { postmarkService } from './postmark.subject.fixture';
import { resendService } from './resend.subject.fixture';
import { sendgridService } from './sendgrid.subject.fixture';
import { sesService } from './ses.subject.fixture';

/** Every e-mail service with an API, as the tests use it. */
export const mailServices: MailService[] = [
  mailgunService,
  postmarkService,
  resendService,
  sendgridService,
  sesService,
];

import type { SmtpSend } from '@belfry/testing';
import type { EmailTemplate } from './email/template';
import {
  fileName,
  type HostileCase,
  inAngle,
  toOneLine,
  toUnixBreaks,
} from './hostile-changes.fixture';
import { collapseSpaces, readFields, readMail, readMime } from './received.fixture';

const mail: EmailTemplate = {
  subject: 'Hello {{v}}, hello',
  html: '<p title="T {{v}}">Hello <b>b {{v}}</b>!</p><a href="https://x.example/?q={{v}}">{{v}} here</a>',
  text: 'Hello {{v}}, hello.',
  from: { name: 'N {{v}} N' },
  headers: {
    'List-Id': 'L {{v}} <list.x.example>',
    'X-Entity-Ref-ID': 'r {{v}} r',
    'In-Reply-To': '<{{v}}@x.example>',
    'List-Unsubscribe': '<https://x.example/?u={{v}}>, <mailto:u@x.example?subject={{v}}>',
  },
  attachments: [{ file_name: 'f {{v}} f.txt', content: Buffer.from('file').toString('base64') }],
};

/** Services that get a mail as fields. */
const byFields = ['postmark', 'resend', 'sendgrid'].map(
  (service): HostileCase => ({
    provider: `email/${service}`,
    what: 'every field',
    template: mail,
    read: readFields,
    places: [
      { at: /^headers.(in-reply-to|list-unsubscribe)/, value: inAngle },
      { at: /^from/, changeText: (text) => toOneLine(text).replaceAll('=?', '= ?') },
      { at: /^subject/, changeText: toOneLine },
      { at: /^headers/, changeText: (text) => collapseSpaces(toOneLine(text)) },
      { at: /^text|^html/, changeText: toUnixBreaks },
      { at: /filename$/, changeText: fileName },
    ],
  }),
);

/** Services that get the whole mail, as SMTP does. */
const byMime = ['mailgun', 'ses'].map(
  (service): HostileCase => ({
    provider: `email/${service}`,
    what: 'every field',
    template: mail,
    read: readMime,
    places: [
      { at: /^headers.(in-reply-to|list-unsubscribe)/, value: inAngle },
      {
        at: /^from/,
        changeText: (text) => collapseSpaces(toOneLine(text).replaceAll('=?', '= ?')),
      },
      { at: /^subject|^headers/, changeText: (text) => collapseSpaces(toOneLine(text)) },
      { at: /^text|^html/, changeText: toUnixBreaks },
      { at: /filename$/, changeText: (text) => collapseSpaces(fileName(text)) },
    ],
  }),
);

export const hostileMailCases: HostileCase[] = [
  ...byFields,
  ...byMime,
  {
    provider: 'email/smtp',
    what: 'every field',
    template: mail,
    read: (send: SmtpSend) => readMail(send),
    places: [
      { at: /^headers.(in-reply-to|list-unsubscribe)/, value: inAngle },
      {
        at: /^addresses/,
        changeText: (text) => collapseSpaces(toOneLine(text).replaceAll('=?', '= ?')),
      },
      { at: /^subject|^headers/, changeText: (text) => collapseSpaces(toOneLine(text)) },
      { at: /^text|^html/, changeText: toUnixBreaks },
      { at: /filename$/, changeText: (text) => collapseSpaces(fileName(text)) },
    ],
  },
];

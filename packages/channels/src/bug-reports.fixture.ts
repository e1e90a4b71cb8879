import { type BugReport, tested } from './bug-report.fixture';
import { slacks, telegrams } from './chat-bug-reports.fixture';
import { pushes } from './push-bug-reports.fixture';

const values = 'channels/src/hostile-values.property.test.ts';
const contract = 'channels/src/provider-contract.test.ts';
const email = 'channels/src/email';
const sms = 'channels/src/sms';
const whatsapp = 'channels/src/whatsapp';
const inPlace = 'each hostile value stays in its place, and is shown unchanged';
const unescaped = 'is the template with its values, unescaped: %s';
const inTable = '%s is classified by the table, with a sentence';

const templates = [
  tested('sendgrid/sendgrid-nodejs#741', `${sms}/compose.test.ts`, unescaped, 'Escape & work'),
  tested('firebase/extensions#69', `${sms}/compose.test.ts`, unescaped, "Jack o'neill"),
  tested(
    'forwardemail/email-templates#399 #376',
    `${email}/compose.test.ts`,
    'are rendered from the same data, each with the escaping of its context',
  ),
  tested(
    'NodeBB/NodeBB#7064 knadh/listmonk#785',
    `${email}/compose.test.ts`,
    'are rendered from the same data, each with the escaping of its context',
    'subject: `R&D <b>',
  ),
  tested(
    'novuhq/novu#2063',
    'channels/src/in-app/compose.test.ts',
    '%s: prints %j unescaped, for the front end to escape',
  ),
  tested(
    'novuhq/novu#901',
    `${email}/compose.test.ts`,
    'are rendered from the same data, each with the escaping of its context',
    "subject: '{{a}}'",
  ),
  tested('novuhq/novu#1496', `${sms}/compose.test.ts`, unescaped, 'Code {{user.code}}'),
  tested('novuhq/novu#2797', `${sms}/compose.test.ts`, unescaped, '&amp; "x" &#39;'),
  tested('nocobase/nocobase#6164', values, inPlace),
  tested('maizzle/framework#1200', values, inPlace),
  tested(
    'planetscale/beam#72 tryfabric/mack#21',
    'channels/src/slack/compose.test.ts',
    '%j becomes %j',
  ),
];

const texts = [
  tested(
    'logto-io/logto#8377 unacms/UNA#2131',
    'channels/src/phone-number.test.ts',
    'accepts %j as %s',
    '4520123456',
  ),
  tested(
    'home-assistant/core#5225 aloha/laravel-twilio#121',
    'shared/src/wire/send-event.test.ts',
    'rejects a wrong JSON type: %s',
    'user.mobile must be a string',
  ),
  tested(
    'twilio/twilio-ruby#348',
    `${sms}/twilio.test.ts`,
    'is not sent when %s',
    '[object Object]',
  ),
  tested('twilio/twilio-node#845', `${sms}/twilio.test.ts`, '%s', 'twilio/twilio-node#845'),
  tested(
    'twilio/twilio-csharp#421',
    `${sms}/twilio.test.ts`,
    'is sent from %s',
    'twilio/twilio-csharp#421',
  ),
  tested(
    'SparkDevNetwork/Rock#5581',
    `${sms}/twilio.test.ts`,
    'a STOP to the call’s own sender applies only to that sender',
  ),
  tested(
    'CodeWithAsheville/court-notifications#44',
    `${sms}/twilio.test.ts`,
    'the detail of an opt-out tells how to lift it',
  ),
  tested(
    'twilio/twilio-node#312 #338 #317',
    contract,
    'a connection that breaks after the request was written is unknown, and is not retried',
  ),
  tested(
    'twilio/twilio-ruby#519',
    `${sms}/twilio.test.ts`,
    'is found in Twilio’s list when the response was %s',
  ),
  tested(
    'twilio/twilio-node#1004',
    contract,
    'a provider that never answers takes no longer than the deadline',
  ),
  tested(
    'twilio-labs/twilio-firebase-extensions#21 department-of-veterans-affairs/notification-api#1488 twilio/twilio-csharp#633',
    'testing/e2e/sms.e2e.test.ts',
    'stays delivered when an older receipt comes late, twice or wrongly signed',
  ),
  tested(
    'opengovsg/postmangovsg#1150 chatwoot/chatwoot#14149',
    'pipeline/src/operate/receipts.int.test.ts',
    'with state failed keeps its reason and code, whatever comes later',
  ),
  tested(
    'TwilioDevEd/message-segment-calculator#18',
    `${sms}/compose.test.ts`,
    'contain encoding, segments and the character that forced Unicode: %s',
  ),
  tested(
    'TwilioDevEd/message-segment-calculator#66',
    `${sms}/compose.test.ts`,
    'contain encoding, segments and the character that forced Unicode: %s',
  ),
  tested(
    'SparkDevNetwork/Rock#6505',
    `${sms}/compose.test.ts`,
    'keeps typographic characters unless the template asks for plain ones',
  ),
  tested(
    'twilio/twilio-node#525 #178',
    'testing/e2e/worker-memory.e2e.test.ts',
    'stays within its memory limit while it delivers a bulk',
  ),
  tested(
    'twilio-labs/twilio-firebase-extensions#105 chatwoot/chatwoot#10563 tactilenews/100eyes#1739',
    `${whatsapp}/meta.test.ts`,
    '%s',
    'chatwoot/chatwoot#10563',
  ),
  tested(
    'hackclub/attend#84',
    'channels/src/twilio/receipts.test.ts',
    'of an error has our own sentence and a reason',
    'hackclub/attend#84',
  ),
  tested(
    'caronc/apprise#1283',
    `${whatsapp}/compose.test.ts`,
    'may have named parameters in any order',
    'caronc/apprise#1283',
  ),
  tested('swampratnz/community-agent#470', contract, inTable),
  tested(
    'chatwoot/chatwoot#12179 #15563',
    `${whatsapp}/meta.test.ts`,
    '%s',
    'chatwoot/chatwoot#12179',
  ),
  tested('Twilio 21266', `${sms}/twilio.test.ts`, 'is not sent when %s', 'to equals from'),
];

const mails = [
  tested(
    'nodemailer/nodemailer#1289',
    `${email}/compose.test.ts`,
    'refuse a value that adds a second address: %j',
    "reply_to: '{{v}}'",
  ),
  tested(
    'nodemailer/nodemailer#1699 #1766 #1707',
    `${email}/address.test.ts`,
    'refuses %j with the reason',
    '"xclow3n@gmail.com x"@internal.domain',
  ),
  tested(
    'GHSA-c7w3-x93f-qmm8 loopingz/smtp-relay#212',
    `${email}/mail.test.ts`,
    'the envelope names the sender and the recipients, and contains no SMTP command',
  ),
  tested(
    'ahmadrosid/nakama#600',
    `${email}/compose.test.ts`,
    'the subject %j becomes one line',
    'Bcc: eve@evil.org',
  ),
  tested(
    'nodemailer/nodemailer#1814',
    `${email}/address.test.ts`,
    'accepts %j as %s',
    'grå@grå.org',
  ),
  tested(
    'nodemailer/nodemailer#1105',
    contract,
    'a connection that breaks before the request is written is certainly not sent',
  ),
  tested(
    'nodemailer/nodemailer#511 #1205',
    `${email}/smtp.test.ts`,
    'uses a new connection when the server closed the idle one',
  ),
  tested(
    'nodemailer/nodemailer#699 #1613 forwardemail/email-templates#469',
    `${email}/smtp.test.ts`,
    'reuses the connection of the previous mail',
  ),
  tested(
    'ergochat/ergo#1659 namshi/docker-smtp#12 hyvor/relay#30',
    `${email}/smtp.subject.fixture.ts`,
    'RCPT 451',
    'afterMs: 300_000',
  ),
  tested(
    'stalwartlabs/stalwart#1108',
    `${email}/smtp.subject.fixture.ts`,
    'RCPT 422',
    '422 4.2.2 Greylisted',
  ),
  tested(
    'OpenSMTPD/OpenSMTPD#65',
    `${email}/smtp.subject.fixture.ts`,
    'AUTH 535 5.7.8',
    "rejected('integration', 'credentials_refused')",
  ),
  tested(
    'chandshy/mailpouch#326',
    `${email}/smtp.test.ts`,
    'arrives with text, HTML and attachment byte for byte',
  ),
  tested(
    'sendgrid/sendgrid-nodejs#1192',
    `${email}/smtp.test.ts`,
    'arrives with text, HTML and attachment byte for byte',
  ),
];

export const bugReports: BugReport[] = [
  ...templates,
  ...texts,
  ...slacks,
  ...telegrams,
  ...pushes,
  ...mails,
];

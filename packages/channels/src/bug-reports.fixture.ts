/** A public bug report about a similar system, and the test that proves we do not have the bug. */
export type BugReport = {
  reports: string;
  /** Relative to `packages`. */
  file: string;
  /** The test title exactly as in the source. */
  test: string;
  /** The row of a `test.each` table that covers the report. */
  row?: string;
};

const values = 'channels/src/hostile-values.property.test.ts';
const contract = 'channels/src/provider-contract.test.ts';
const email = 'channels/src/email';
const onesignal = 'channels/src/onesignal/onesignal.test.ts';
const push = 'channels/src/push';
const slack = 'channels/src/slack';
const sms = 'channels/src/sms';
const telegram = 'channels/src/telegram';
const whatsapp = 'channels/src/whatsapp';
const inPlace = 'each hostile value stays in its place, and is shown unchanged';
const unescaped = 'is the template with its values, unescaped: %s';
const inTable = '%s is classified by the table, with a sentence';

/** Links `reports` to the test that covers them, and optionally to one row of its table. */
function tested(reports: string, file: string, test: string, row?: string): BugReport {
  return { reports, file, test, ...(row === undefined ? {} : { row }) };
}

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
  tested('planetscale/beam#72 tryfabric/mack#21', `${slack}/compose.test.ts`, '%j becomes %j'),
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

const slacks = [
  tested(
    'archive/github-actions-slack#14 slack-samples/javascript-channel-prefixes#4 connorads/lockbot#11',
    `${slack}/codes.test.ts`,
    '%s is about the recipient, and the sentence says what to do',
    'not_in_channel',
  ),
  tested(
    'slackapi/python-slack-sdk#483 #1460',
    `${slack}/codes.test.ts`,
    '%s is about the recipient, and the sentence says what to do',
    'channel_not_found',
  ),
  tested(
    'slackapi/node-slack-sdk#1523',
    `${slack}/web-api.test.ts`,
    'is refused when the person does not exist, and the result is cached for a short time',
  ),
  tested(
    'slackapi/node-slack-sdk#1523',
    `${slack}/web-api.test.ts`,
    'goes to the person when the channel is not found',
  ),
  tested(
    'slack-go/slack#536',
    `${slack}/web-api.test.ts`,
    'stores the scopes that Slack names, and cuts the rest of the response',
  ),
  tested(
    'slackapi/node-slack-sdk#305 #451 #1119',
    `${slack}/web-api.test.ts`,
    'that is throttled does not delay others',
  ),
  tested(
    'openclaw/openclaw#22780 slackapi/slack-api-specs#10',
    contract,
    'a connection that breaks after the request was written is unknown, and is not retried',
  ),
  tested(
    'slackapi/bolt-js#2509',
    `${slack}/compose.test.ts`,
    'on %s are checked on save, and for an override before the call',
    'the sum',
  ),
  tested(
    'thedaviddias/publish-release-info-action#55 yhatt/jsx-slack#81',
    `${slack}/compose.test.ts`,
    'leaves out sections, headers and fields that a missing value emptied',
  ),
  tested(
    'thesmallstar/slackify-markdown-python#14 yhatt/jsx-slack#160',
    `${slack}/compose.test.ts`,
    'in the link %s, %j becomes %s',
  ),
  tested(
    'NousResearch/hermes-agent#49398',
    `${slack}/compose.test.ts`,
    'in the link %s, %j becomes %s',
    'docs > setup',
  ),
  tested(
    'PostHog/posthog#95054',
    `${slack}/compose.test.ts`,
    'never adds a mention or a link, whatever it contains',
  ),
  tested(
    'statping/statping#933 sct/overseerr#2408 guidone/node-red-contrib-chatbot#561',
    `${slack}/compose.test.ts`,
    'provides the notification text when there is none, and escapes plain text',
  ),
];

const telegrams = [
  tested(
    'windkh/node-red-contrib-telegrambot#301 GokulDas027/TelegramBridge#6',
    `${telegram}/markup.test.ts`,
    'is escaped once, and the author’s tags are kept: %s',
  ),
  tested(
    'irazasyed/telegram-bot-sdk#493',
    `${telegram}/markup.test.ts`,
    'is escaped once, and the author’s tags are kept: %s',
    'irazasyed/telegram-bot-sdk#493',
  ),
  tested(
    'Eleirbag89/TelegramBotPHP#152 PipedreamHQ/pipedream#5849',
    `${telegram}/compose.test.ts`,
    '%s',
    'a<br>b<br/>c<BR />d',
  ),
  tested(
    'python-telegram-bot/python-telegram-bot#2981 eternnoir/pyTelegramBotAPI#661',
    `${telegram}/markup.test.ts`,
    'is escaped once, and the author’s tags are kept: %s',
    '<how>',
  ),
  tested(
    'tdlib/telegram-bot-api#655',
    `${telegram}/compose.test.ts`,
    'applies to the text before escaping',
  ),
  tested(
    'serilog-contrib/Serilog.Sinks.Telegram.Alternative#33',
    `${telegram}/compose.test.ts`,
    'fails a longer text instead of cutting it inside a tag',
  ),
  tested(
    'TwiN/gatus#179 ableev/Zabbix-in-Telegram#210 irazasyed/telegram-bot-sdk#354',
    `${telegram}/bot-api.test.ts`,
    'gets the message once under its new ID, which is stored for the user: %s',
  ),
  tested(
    'yagop/node-telegram-bot-api#1030 #273',
    `${telegram}/bot-api.test.ts`,
    'is a returned result, not an unhandled rejection: %s',
  ),
  tested(
    'hdghg/cjbot#13',
    `${telegram}/bot-api.test.ts`,
    'is one call and no second message when it is throttled: %s',
  ),
  tested(
    'tucnak/telebot#770 appleboy/drone-telegram#65 smithersai/smithers#812',
    `${telegram}/bot-api.test.ts`,
    'is in no stored part of a failure: %s',
  ),
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

const asText = 'has only text in its data, and leaves out null: %s';
const switchesOff = 'switches the device off when its token is dead: %s';
const leavesDeviceOn = 'leaves the device on when it is about something else: %s';
const ownToken =
  'is cached per integration, even for one account, and is new with new credentials: %s';
const tokenRequest =
  'is requested from the configured host, once for concurrent and later messages';
const escapedKey = 'accepts a key whose line ends were written as \\\\n, and sends with it: %s';
const oneLanguage =
  'has its text only in the language that OneSignal requires, whatever the person’s language: %s';
const onePerson = 'reaches no segment and no second person, whatever fields the call sets: %s';

const pushes = [
  ...['#102', '#1094', '#424', '#2548'].map((number) => {
    const report = `firebase/firebase-admin-node${number}`;
    return tested(report, `${push}/compose.test.ts`, asText, report);
  }),
  ...['xtrinch/fcm-django#223', 'eladnava/fcm-v1-http2#5', 'ToothlessGear/node-gcm#360'].map(
    (report) => tested(report, `${push}/fcm.test.ts`, leavesDeviceOn, report),
  ),
  ...[
    'rails/action_push_native#141',
    'firebase/firebase-admin-java#1064',
    'STS-Rosario/carpoolear_backend#321',
    'guardian/mobile-n10n#1239',
  ].map((report) => tested(report, `${push}/fcm.test.ts`, switchesOff, report)),
  tested(
    'firebase/firebase-admin-go#580 binwiederhier/ntfy#84 reown-com/push-server#346',
    `${push}/compose.test.ts`,
    'to %s is refused over the limit of FCM, which the failure names, before it is sent',
  ),
  tested('firebase/firebase-admin-node#2697 #2865 #2960', `${push}/fcm.test.ts`, tokenRequest),
  ...['coollabsio/coolify#6384', 'firebase/firebase-admin-node#385'].map((report) =>
    tested(report, `${push}/fcm.test.ts`, escapedKey, report),
  ),
  ...[
    'firebase/firebase-admin-node#571',
    'jlcvp/fcm-node#45',
    'firebase/firebase-functions#171',
  ].map((report) => tested(report, `${push}/fcm.test.ts`, ownToken, report)),
  tested('OneSignal/onesignal-go-api#38', onesignal, onePerson, 'OneSignal/onesignal-go-api#38'),
  tested(
    'OneSignal/onesignal-node-api#82',
    onesignal,
    onePerson,
    'OneSignal/onesignal-node-api#82',
  ),
  tested(
    'zeyneloz/onesignal-node#9 #67',
    onesignal,
    'to a person without a device is refused despite status 200, and other messages are not',
  ),
  ...[
    'zeyneloz/onesignal-node#40',
    'OneSignal/react-native-onesignal#273',
    'OneSignal/OneSignal-iOS-SDK#1329',
  ].map((report) => tested(report, onesignal, oneLanguage, report)),
];

export const bugReports: BugReport[] = [
  ...templates,
  ...texts,
  ...slacks,
  ...telegrams,
  ...pushes,
  ...mails,
];

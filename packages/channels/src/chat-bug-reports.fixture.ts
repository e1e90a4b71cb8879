import { tested } from './bug-report.fixture';

const contract = 'channels/src/provider-contract.test.ts';
const slack = 'channels/src/slack';
const telegram = 'channels/src/telegram';

export const slacks = [
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

export const telegrams = [
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

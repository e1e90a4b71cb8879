import type {
  FcmSend,
  MetaSend,
  OnesignalSend,
  SlackSend,
  TelegramSend,
  TwilioSend,
  WebPushSend,
} from '@belfry/testing';
import {
  collapseWhitespace,
  type HostileCase,
  noControls,
  slackLink,
  toUnixBreaks,
  withoutControls,
} from './hostile-changes.fixture';
import { hostileMailCases } from './hostile-mail-cases.fixture';
import type { InAppTemplate } from './in-app/template';
import type { OnesignalTemplate } from './onesignal/template';
import type { PushTemplate } from './push/template';
import { readMarkdown, readMrkdwn } from './received.fixture';
import type { SlackTemplate } from './slack/template';
import type { SmsTemplate } from './sms/template';
import type { TelegramTemplate } from './telegram/template';
import type { WhatsappTemplate } from './whatsapp/template';

const notification = {
  title: 'T {{v}} T',
  body: 'B {{v}} B',
  image: 'https://x.example/i?q={{v}}',
  click_action: 'https://x.example/?q={{v}}',
  data: { key: 'D {{v}} D' },
};

const blocks = JSON.stringify([
  { type: 'header', text: { type: 'plain_text', text: 'H {{v}} H' } },
  {
    type: 'section',
    text: { type: 'mrkdwn', text: 'S *{{v}}* <https://x.example/?q={{v}}|L {{v}}>' },
    fields: [{ type: 'mrkdwn', text: 'F {{v}} F' }],
  },
  {
    type: 'actions',
    elements: [
      { type: 'button', text: { type: 'plain_text', text: 'B {{v}} B' }, value: 'v {{v}}' },
    ],
  },
]);

const approved: WhatsappTemplate['template'] = {
  name: 'order',
  language: 'en',
  parameters: [{ value: 'x {{v}} x' }, { value: 'y {{v}}' }],
  header: { kind: 'document', value: 'https://x.example/f', file_name: 'f {{v}} f' },
  buttons: [{ index: 0, kind: 'quick_reply', value: 'p {{v}}' }],
};

export const hostileCases: HostileCase[] = [
  ...hostileMailCases,
  {
    provider: 'slack/slack',
    what: 'text',
    template: {
      text: 'Hello *{{v}}*, <https://x.example/?q={{v}}|L {{v}}>.',
    } satisfies SlackTemplate,
    read: readSlack,
    places: [{ at: /link$/, value: slackLink }],
  },
  {
    provider: 'slack/slack',
    what: 'blocks',
    template: { blocks } satisfies SlackTemplate,
    read: readSlack,
    places: [
      { at: /link$/, value: slackLink },
      { at: /^blocks.0.text.text/, maxCharacters: 150 },
      { at: /^blocks.2.elements.0.text.text/, maxCharacters: 75 },
    ],
  },
  {
    provider: 'slack/slack',
    what: 'a block of standard markdown',
    template: {
      text: 'Hello',
      blocks: JSON.stringify([{ type: 'markdown', text: 'M **b** {{v}}' }]),
    } satisfies SlackTemplate,
    read: readSlack,
    places: [{ at: /link$/, value: slackLink }],
  },
  {
    provider: 'sms/twilio',
    what: 'text',
    template: { text: 'Hello {{v}}, hello.' } satisfies SmsTemplate,
    read: ({ fields }: TwilioSend) => fields,
    places: [{ at: /^Body/, changeText: toUnixBreaks }],
  },
  {
    provider: 'whatsapp/twilio',
    what: 'text',
    template: { text: 'Hello {{v}}, hello.' } satisfies WhatsappTemplate,
    read: ({ fields }: TwilioSend) => fields,
    places: [{ at: /^Body/, changeText: toUnixBreaks }],
  },
  {
    provider: 'whatsapp/twilio',
    what: 'an approved template',
    template: {
      template: { content_sid: `HX${'0'.repeat(32)}`, parameters: approved.parameters ?? [] },
    } satisfies WhatsappTemplate,
    read: ({ fields: { ContentVariables: variables = [], ...fields } }: TwilioSend) => ({
      ...fields,
      variables: variables.map((json) => JSON.parse(json)),
    }),
    places: [{ at: /^variables/, changeText: collapseWhitespace }],
  },
  {
    provider: 'whatsapp/meta',
    what: 'text',
    template: { text: 'Hello {{v}}, hello.' } satisfies WhatsappTemplate,
    read: ({ phoneNumberId, body }: MetaSend) => ({ phoneNumberId, body }),
    places: [{ at: /body$/, changeText: toUnixBreaks }],
  },
  {
    provider: 'whatsapp/meta',
    what: 'an approved template',
    template: { template: approved } satisfies WhatsappTemplate,
    read: ({ phoneNumberId, body }: MetaSend) => ({ phoneNumberId, body }),
    places: [
      { at: /^body.*filename$/, changeText: collapseWhitespace, maxCharacters: 240 },
      { at: /^body.*payload$/, changeText: collapseWhitespace, maxCharacters: 256 },
      { at: /^body/, changeText: collapseWhitespace },
    ],
  },
  {
    provider: 'telegram/telegram',
    what: 'text and link',
    template: {
      text: 'Hello <b>{{v}}</b>, <a href="https://x.example/?q={{v}}">L {{v}} L</a> <code>{{v}}</code>.',
    } satisfies TelegramTemplate,
    read: ({ chatId, text, entities, options }: TelegramSend) => ({
      chatId,
      text,
      entities,
      options,
    }),
    places: [{ at: /./, changeText: toUnixBreaks }],
  },
  {
    provider: 'push/fcm',
    what: 'every field',
    template: notification satisfies PushTemplate,
    read: ({ projectId, message }: FcmSend) => ({ projectId, message }),
    places: [
      { at: /title$/, changeText: withoutControls },
      { at: /(click_action|image|link)$/, changeText: noControls },
    ],
  },
  {
    provider: 'push/fcm',
    what: 'a data message',
    template: { ...notification, data_only: true } satisfies PushTemplate,
    read: ({ projectId, message }: FcmSend) => ({ projectId, message }),
    places: [
      { at: /title$/, changeText: withoutControls },
      { at: /(click_action|image|link)$/, changeText: noControls },
    ],
  },
  {
    provider: 'push/web_push',
    what: 'every field',
    template: notification satisfies PushTemplate,
    read: ({ endpoint: _, id: __, claims: ___, ...send }: WebPushSend) => ({ ...send, ttl: 0 }),
    places: [
      { at: /title$/, changeText: withoutControls },
      { at: /(click_action|image)$/, changeText: noControls },
    ],
  },
  {
    provider: 'onesignal/onesignal',
    what: 'every field',
    template: notification satisfies OnesignalTemplate,
    read: ({
      appId,
      externalId,
      body: { idempotency_key: _, collapse_id: __, data, ...body },
    }: OnesignalSend) => ({
      appId,
      externalId,
      body,
      // The ID in it differs for each message.
      data: { ...(data as object), raven_notification_id: '' },
    }),
    places: [
      { at: /headings/, changeText: withoutControls },
      { at: /^body\.(url|big_picture|chrome_web_image|ios_attachments)/, changeText: noControls },
    ],
  },
  {
    provider: 'in_app/inbox',
    what: 'every field',
    template: {
      title: 'T {{v}} T',
      body: 'B {{v}} B',
      click_action: 'https://x.example/?q={{v}}',
      data: { key: 'D {{v}} D' },
    } satisfies InAppTemplate,
    read: (send: object) => send,
    places: [
      {
        at: /^title/,
        changeText: withoutControls,
        maxCharacters: 200,
      },
      { at: /^click_action/, changeText: noControls },
    ],
  },
];

function readSlack({ channel, text, blocks, argumentNames }: SlackSend): unknown {
  return { channel, argumentNames, text: readMrkdwn(text), blocks: readBlocks(blocks) };
}

/** The blocks with every text as shown, by the type of its object. */
function readBlocks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readBlocks);
  if (typeof value !== 'object' || value === null) return value;
  const { type, text, ...members }: Record<string, unknown> = { ...value };
  const entries = Object.entries(members).map(([name, member]) => [name, readBlocks(member)]);
  return { type, ...Object.fromEntries(entries), text: readText(type, text) };
}

function readText(type: unknown, text: unknown): unknown {
  if (typeof text !== 'string') return readBlocks(text);
  if (type === 'mrkdwn') return readMrkdwn(text);
  return type === 'markdown' ? readMarkdown(text) : text;
}

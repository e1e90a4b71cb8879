import type { ContactUpdate } from '@belfry/shared';
import { type Static, Type } from '@sinclair/typebox';
import type {
  ConnectionTestResult,
  DescribeCall,
  Provider,
  ProviderRequest,
  SendCall,
  Sender,
  SenderDeps,
  SendResult,
  TestCall,
} from '../channel';
import { keepsCredentials, showsLastFour } from '../credential-marks';
import { createHttp } from '../http';
import { maxPerSecondSetting, type TargetRate } from '../rate';
import {
  createTelegramApi,
  type TelegramAccess,
  type TelegramMessage,
  type TelegramReply,
} from './api';
import type { TelegramContent } from './template';
import { telegramUpdates } from './updates';
import { registerWebhook } from './webhook';

/** Telegram's recommendations, not guaranteed limits. */
const messagesPerSecond = 30;
const chatRate: TargetRate = { everyMs: 1_000, burst: 1 };
/** At most 20 in any minute: five at once, and the rest as the bucket refills. */
const groupRate: TargetRate = { everyMs: 4_000, burst: 5 };

const telegramSettings = Type.Object({
  sender: Type.Optional(
    Type.String({
      title: 'Bot name',
      description:
        'For example @acme_bot. A person who blocks the bot is suppressed for the bot with this name; without a name, for all bots of the app.',
      pattern: '^@?[A-Za-z][A-Za-z0-9_]{3,31}$',
    }),
  ),
  receives_replies: Type.Optional(
    Type.Boolean({
      title: 'Receive /stop and /start',
      description:
        '"Test connection" then registers Belfry’s webhook at Telegram. Leave it off if another program reads the bot’s messages: a bot has only one reader.',
      ...keepsCredentials,
    }),
  ),
  max_per_second: maxPerSecondSetting(messagesPerSecond),
});

/** The token becomes part of the path, so no other characters are allowed. */
const botToken = /^\d{5,20}:[A-Za-z0-9_-]{30,200}$/;

const telegramCredentials = Type.Object({
  bot_token: Type.String({
    title: 'Bot token',
    description: 'From @BotFather.',
    maxLength: 256,
    pattern: botToken.source,
    ...showsLastFour,
  }),
});

const maxButtonsOfRow = 8;
const maxRows = 100;

const buttonText = Type.String({ minLength: 1, maxLength: 256 });
const closed = { additionalProperties: false } as const;

/**
 * "Exactly one of the fields other than text […] must be used"
 * (core.telegram.org/bots/api#inlinekeyboardbutton).
 */
const inlineButton = Type.Union([
  Type.Object(
    { text: buttonText, url: Type.String({ pattern: '^(https?|tg)://', maxLength: 2_048 }) },
    closed,
  ),
  Type.Object(
    {
      text: buttonText,
      // The limit is 1 to 64 bytes: 64 ASCII characters, or 21 of any kind, which have at most 63
      // bytes.
      callback_data: Type.String({ pattern: '^([ -~]{1,64}|[\\s\\S]{1,21})$' }),
    },
    closed,
  ),
]);

const telegramPayload = Type.Object({
  message_thread_id: Type.Optional(Type.Integer({ title: 'Group topic', minimum: 1 })),
  disable_notification: Type.Optional(Type.Boolean({ title: 'Silent' })),
  protect_content: Type.Optional(Type.Boolean({ title: 'Prevent forwarding and saving' })),
  link_preview_options: Type.Optional(
    Type.Object(
      {
        is_disabled: Type.Optional(Type.Boolean()),
        url: Type.Optional(Type.String({ pattern: '^https?://', maxLength: 2_048 })),
        prefer_small_media: Type.Optional(Type.Boolean()),
        prefer_large_media: Type.Optional(Type.Boolean()),
        show_above_text: Type.Optional(Type.Boolean()),
      },
      { title: 'Link preview', additionalProperties: false },
    ),
  ),
  reply_markup: Type.Optional(
    Type.Object(
      {
        inline_keyboard: Type.Array(Type.Array(inlineButton, { maxItems: maxButtonsOfRow }), {
          maxItems: maxRows,
        }),
      },
      { title: 'Buttons', additionalProperties: false },
    ),
  ),
});

export const telegramBotApi: Provider<TelegramContent> = {
  label: 'Telegram',
  settings: telegramSettings,
  credentials: telegramCredentials,
  payload: telegramPayload,
  rate: {
    perSecond: messagesPerSecond,
    // Groups and channels have negative IDs or names.
    getTargetRate: (chatId) => (/^\d+$/.test(chatId) ? chatRate : groupRate),
  },
  check({ credentials }) {
    if (readToken(credentials) !== undefined) return [];
    return ['bot_token must be a bot token from @BotFather (123456789:AA…)'];
  },
  describe: describeTelegram,
  createSender: createTelegramSender,
  receipts: telegramUpdates,
};

function createTelegramSender({ baseUrls }: SenderDeps): Sender<TelegramContent> {
  const http = createHttp();
  const api = createTelegramApi({ http, url: baseUrls['telegram'] });

  async function send(call: SendCall<TelegramContent>): Promise<SendResult> {
    const token = readToken(call.credentials);
    if (token === undefined) return { outcome: malformedToken };
    const access: TelegramAccess = { token, signal: call.signal };
    const reply = await post(call.target, call, access);
    const movedTo = 'failure' in reply ? reply.movedTo : undefined;
    if (movedTo === undefined) return finish(reply, call);
    // Telegram sent nothing to the old ID, so this is not a second message.
    const again = await post(movedTo, call, access);
    const newest = ('failure' in again && again.movedTo) || movedTo;
    return { ...finish(again, call), changes: [moveTo(newest)] };
  }

  function post(
    chatId: string,
    call: DescribeCall<TelegramContent>,
    access: TelegramAccess,
  ): Promise<TelegramReply> {
    return api.call((client) => client.sendMessage(buildMessage(chatId, call)), access);
  }

  async function test({
    settings,
    credentials,
    signal,
    receiptUrl,
  }: TestCall): Promise<ConnectionTestResult> {
    const token = readToken(credentials);
    if (token === undefined) return { isWorking: false, detail: malformedToken.detail };
    const reply = await api.call((client) => client.getMe(), { token, signal });
    if ('failure' in reply) {
      return { isWorking: false, detail: reply.failure.detail ?? reply.failure.reason };
    }
    const identity = `Telegram identifies the token as the bot @${reply.result['username']}.`;
    if (settings['receives_replies'] !== true) return { isWorking: true, detail: identity };
    const { isWorking, detail } = await registerWebhook(api, receiptUrl, { token, signal });
    return { isWorking, detail: `${identity} ${detail}` };
  }

  return {
    send,
    test,
    async close() {
      http.close();
    },
  };
}

function readToken(credentials: Record<string, unknown>): string | undefined {
  const token = credentials['bot_token'];
  return typeof token === 'string' && botToken.test(token) ? token : undefined;
}

const malformedToken = {
  outcome: 'rejected',
  scope: 'integration',
  reason: 'malformed_token',
  detail: 'The integration has no bot token, or the token is malformed.',
} as const;

/** The stored user gets the new ID, so that the next message needs only one call. */
function moveTo(to: string): ContactUpdate {
  return { change: 'move_address', path: ['telegram', 'chat_id'], to };
}

function finish(reply: TelegramReply, { settings }: SendCall<TelegramContent>): SendResult {
  if ('failure' in reply) {
    const { failure: outcome, response, suppress: reason } = reply;
    if (!reason) return { outcome, response };
    const { sender = '' } = readSettings(settings);
    const detail = outcome.detail ? { detail: outcome.detail } : {};
    return {
      ...{ outcome, response },
      changes: [{ change: 'suppress', reason, sender, ...getSource(reason), ...detail }],
    };
  }
  const { message_id: messageId, chat } = reply.result;
  const chatId = typeof chat === 'object' && chat !== null && 'id' in chat ? chat.id : undefined;
  if (typeof messageId !== 'number' || typeof chatId !== 'number') return { outcome: noReceipt };
  return {
    outcome: { outcome: 'accepted', providerMessageId: `${chatId}:${messageId}` },
    response: { ok: true, chat_id: chatId, message_id: messageId },
  };
}

/** A person who blocks the bot is sent to again when they unblock it, if we receive its updates. */
function getSource(reason: string): { source?: 'reply' } {
  return reason === 'opted_out' ? { source: 'reply' } : {};
}

const noReceipt = {
  outcome: 'unknown',
  reason: 'unreadable_answer',
  detail: 'Telegram returned success without the message’s id.',
} as const;

function readSettings({ sender }: Record<string, unknown>): Static<typeof telegramSettings> {
  return typeof sender === 'string' ? { sender } : {};
}

function buildMessage(
  chatId: string,
  { content, payload }: Pick<DescribeCall<TelegramContent>, 'content' | 'payload'>,
): TelegramMessage {
  const { text, disableNotification, linkPreview } = content;
  return {
    chat_id: chatId,
    text,
    parse_mode: 'HTML',
    ...(disableNotification ? { disable_notification: true } : {}),
    ...(linkPreview === undefined ? {} : { link_preview_options: { is_disabled: !linkPreview } }),
    ...payload,
  };
}

function describeTelegram(call: DescribeCall<TelegramContent>): ProviderRequest {
  return {
    operation: 'POST https://api.telegram.org/bot…/sendMessage',
    body: buildMessage(call.target, call),
  };
}

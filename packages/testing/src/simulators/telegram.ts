import { hash } from 'node:crypto';
import {
  createHttpSimulator,
  type HttpFault,
  type HttpReply,
  type HttpRequest,
  type HttpSimulator,
} from './http-simulator';
import { formType, hasType } from './rules';
import type { TelegramEntity } from './telegram-html';
import { readTelegramMessage } from './telegram-rules';
import {
  noWebhook,
  postUpdate,
  readWebhook,
  type TelegramCallOptions,
  type TelegramUpdate,
  type TelegramWebhook,
} from './telegram-webhook';

/** A message that Telegram sent. Telegram has no idempotency key. */
export type TelegramSend = {
  chatId: string;
  messageId: number;
  /** As received. */
  html: string;
  /** As the recipient sees it. */
  text: string;
  entities: TelegramEntity[];
  /** The other fields of the request. */
  options: Record<string, unknown>;
  /** SHA-256 of the token in hexadecimal, to identify the bot without storing it. */
  tokenHash: string;
};

/** `errorCode` and `description` are Telegram's. */
export type TelegramFault =
  | HttpFault
  | {
      on?: string;
      errorCode: number;
      description: string;
      parameters?: Record<string, unknown>;
      /** The same as the code by default. */
      status?: number;
    };

export type TelegramSimulator = Omit<HttpSimulator<TelegramSend>, 'fail'> & {
  /** The base URL of the API: the value for TELEGRAM_API_URL. */
  url: string;
  fail(...faults: TelegramFault[]): void;
  /** Turns the group into a supergroup: its old ID is then refused, and the answer names the new one. */
  moveChat(from: string, to: number): void;
  /** The webhook of the bot with this token. */
  getWebhook(token: string): TelegramWebhook;
  /** Registers a webhook for the bot, as another program would. */
  setWebhook(token: string, webhook: TelegramWebhook): void;
  /** Posts an update to the bot's webhook, and returns the status of the answer. */
  postUpdate(
    token: string,
    update: TelegramUpdate,
    options?: TelegramCallOptions,
  ): Promise<number | undefined>;
};

/** Telegram's Bot API, limited to sending and to webhooks: getMe, sendMessage, getWebhookInfo, setWebhook. */
export async function createTelegramSimulator(): Promise<TelegramSimulator> {
  const moves = new Map<string, number>();
  const webhooks = new Map<string, TelegramWebhook>();
  const getWebhook = (token: string) => webhooks.get(token) ?? noWebhook;
  let sent = 0;
  const simulator = await createHttpSimulator<TelegramSend>({
    handle(request) {
      const call = readCall(request);
      if (!call) return { reply: refusal(404, 'Not Found') };
      if (call.method === 'getMe') return { reply: buildReply(describeBot(call.token)) };
      if (call.method === 'getWebhookInfo') return { reply: describe(getWebhook(call.token)) };
      if (call.method === 'setWebhook') return { reply: setWebhook(call) };
      return call.method === 'sendMessage'
        ? send(call)
        : { reply: refusal(404, 'Not Found: method not found') };
    },
  });

  function setWebhook({ token, isForm, args }: Call): HttpReply {
    if (!isForm) return refusal(400, 'Bad Request: unsupported content type');
    const webhook = readWebhook(args);
    if ('problem' in webhook) return refusal(400, `Bad Request: ${webhook.problem}`);
    webhooks.set(token, webhook);
    return { body: { ok: true, result: true, description: 'Webhook was set' } };
  }

  function send(call: Call): { reply: HttpReply; send?: TelegramSend } {
    if (!call.isForm) return { reply: refusal(400, 'Bad Request: unsupported content type') };
    const movedTo = moves.get(call.args.get('chat_id') ?? '');
    if (movedTo !== undefined) return { reply: describeMove(movedTo) };
    sent += 1;
    return sendMessage(call, sent);
  }

  return {
    ...simulator,
    fail: (...faults) => simulator.fail(...faults.map(toHttpFault)),
    moveChat: (from, to) => moves.set(from, to),
    getWebhook,
    setWebhook: (token, webhook) => webhooks.set(token, webhook),
    postUpdate: (token, update, options = {}) => postUpdate(getWebhook(token), update, options),
  };
}

type Call = { method: string; token: string; isForm: boolean; args: URLSearchParams };

function readCall({ path, headers, body }: HttpRequest): Call | undefined {
  const [, token, method] = /^\/bot(\d{5,}:[\w-]{30,})\/(\w+)$/.exec(path) ?? [];
  if (!token || !method) return undefined;
  const args = new URLSearchParams(body.toString('utf8'));
  return { method, token, isForm: hasType(headers, formType), args };
}

function describeMove(movedTo: number): HttpReply {
  return refusal(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
    migrate_to_chat_id: movedTo,
  });
}

function sendMessage(
  { args, token }: Call,
  messageId: number,
): { reply: HttpReply; send?: TelegramSend } {
  const read = readTelegramMessage(args);
  if ('problem' in read) return { reply: refusal(400, `Bad Request: ${read.problem}`) };
  const { chatId, html, parsedText, options } = read;
  const chat = { id: /^-?\d+$/.test(chatId) ? Number(chatId) : -1_000_000_000_001 };
  return {
    reply: buildReply({ message_id: messageId, chat, date: 1_700_000_000, text: parsedText.text }),
    send: {
      chatId,
      messageId,
      html,
      ...parsedText,
      options,
      tokenHash: hash('sha256', token, 'hex'),
    },
  };
}

function describeBot(token: string): object {
  const id = Number(token.split(':')[0]);
  return { id, is_bot: true, first_name: 'Simulated', username: 'simulated_bot' };
}

/** Telegram does not tell the secret. */
function describe({ url, allowedUpdates }: TelegramWebhook): HttpReply {
  const updates = allowedUpdates.length > 0 ? { allowed_updates: allowedUpdates } : {};
  return buildReply({ url, has_custom_certificate: false, pending_update_count: 0, ...updates });
}

function buildReply(result: object): HttpReply {
  return { body: { ok: true, result } };
}

function refusal(
  errorCode: number,
  description: string,
  parameters?: Record<string, unknown>,
): HttpReply {
  const extraFields = parameters ? { parameters } : {};
  return {
    status: errorCode,
    body: { ok: false, error_code: errorCode, description, ...extraFields },
  };
}

function toHttpFault(fault: TelegramFault): HttpFault {
  if (!('errorCode' in fault)) return fault;
  const { on, errorCode, description, parameters, status = errorCode } = fault;
  const reply = { ...refusal(errorCode, description, parameters), status };
  return { ...(on ? { on } : {}), reply };
}

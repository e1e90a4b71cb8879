import { hash } from 'node:crypto';
import {
  createHttpSimulator,
  type HttpFault,
  type HttpReply,
  type HttpRequest,
  type HttpSimulator,
} from './http-simulator';
import { readTelegramHtml, type TelegramEntity } from './telegram-html';

/** A message that Telegram sent. Telegram takes no id of ours that would tell a duplicate. */
export type TelegramSend = {
  chatId: string;
  messageId: number;
  /** As it came. */
  html: string;
  /** As the recipient sees it. */
  text: string;
  entities: TelegramEntity[];
  /** The other fields of the request. */
  options: Record<string, unknown>;
  /** SHA-256 of the token in hexadecimal: which bot it was, without keeping it. */
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
      /** The same as the code, unless given. */
      status?: number;
    };

export type TelegramSimulator = Omit<HttpSimulator<TelegramSend>, 'fail'> & {
  /** Where the API is: what TELEGRAM_API_URL is to be. */
  url: string;
  fail(...faults: TelegramFault[]): void;
  /** The group becomes a supergroup: from now on its old id is refused with the new one. */
  moveChat(from: string, to: number): void;
};

/** Telegram's Bot API, as far as sending needs it: getMe, sendMessage. */
export async function createTelegramSimulator(): Promise<TelegramSimulator> {
  const moves = new Map<string, number>();
  let sent = 0;
  const simulator = await createHttpSimulator<TelegramSend>({
    handle(request) {
      const call = readCall(request);
      if (!call) return { reply: refusal(404, 'Not Found') };
      if (call.method === 'getMe') return { reply: yes(botOf(call.token)) };
      if (call.method !== 'sendMessage')
        return { reply: refusal(404, 'Not Found: method not found') };
      const refused = refuse(call, moves);
      if (refused) return { reply: refused };
      sent += 1;
      return sendMessage(call, sent);
    },
  });
  return {
    ...simulator,
    fail: (...faults) => simulator.fail(...faults.map(toHttpFault)),
    moveChat: (from, to) => moves.set(from, to),
  };
}

type Call = { method: string; token: string; args: URLSearchParams };

const maxTextCharacters = 4_096;

function readCall({ path, body }: HttpRequest): Call | undefined {
  const [, token, method] = /^\/bot(\d+:[\w-]+)\/(\w+)$/.exec(path) ?? [];
  if (!token || !method) return undefined;
  return { method, token, args: new URLSearchParams(body.toString('utf8')) };
}

function refuse({ args }: Call, moves: Map<string, number>): HttpReply | undefined {
  const chatId = args.get('chat_id') ?? '';
  if (!/^(-?\d+|@\w+)$/.test(chatId)) return refusal(400, 'Bad Request: chat not found');
  const movedTo = moves.get(chatId);
  if (movedTo !== undefined) {
    return refusal(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
      migrate_to_chat_id: movedTo,
    });
  }
  const read = readText(args);
  if ('problem' in read) return refusal(400, `Bad Request: can't parse entities: ${read.problem}`);
  if (read.text.trim() === '') return refusal(400, 'Bad Request: message text is empty');
  const isTooLong = read.text.trim().length > maxTextCharacters;
  return isTooLong ? refusal(400, 'Bad Request: message is too long') : undefined;
}

function readText(args: URLSearchParams): ReturnType<typeof readTelegramHtml> {
  const text = args.get('text') ?? '';
  return args.get('parse_mode') === 'HTML' ? readTelegramHtml(text) : { text, entities: [] };
}

function sendMessage(
  { args, token }: Call,
  messageId: number,
): { reply: HttpReply; send: TelegramSend } {
  const { chat_id: chatId = '', text: html = '', ...others } = Object.fromEntries(args);
  const read = readText(args);
  const shown = 'problem' in read ? { text: html, entities: [] } : read;
  const chat = { id: /^-?\d+$/.test(chatId) ? Number(chatId) : -1_000_000_000_001 };
  return {
    reply: yes({ message_id: messageId, chat, date: 1_700_000_000, text: shown.text }),
    send: {
      chatId,
      messageId,
      html,
      ...shown,
      options: Object.fromEntries(
        Object.entries(others).map(([name, value]) => [name, readOption(value)]),
      ),
      tokenHash: hash('sha256', token, 'hex'),
    },
  };
}

/** Objects come as JSON in a field of the form, as do numbers and booleans. */
function readOption(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function botOf(token: string): object {
  const id = Number(token.split(':')[0]);
  return { id, is_bot: true, first_name: 'Simulated', username: 'simulated_bot' };
}

function yes(result: object): HttpReply {
  return { body: { ok: true, result } };
}

function refusal(
  errorCode: number,
  description: string,
  parameters?: Record<string, unknown>,
): HttpReply {
  const beside = parameters ? { parameters } : {};
  return { status: errorCode, body: { ok: false, error_code: errorCode, description, ...beside } };
}

function toHttpFault(fault: TelegramFault): HttpFault {
  if (!('errorCode' in fault)) return fault;
  const { on, errorCode, description, parameters, status = errorCode } = fault;
  const reply = { ...refusal(errorCode, description, parameters), status };
  return { ...(on ? { on } : {}), reply };
}

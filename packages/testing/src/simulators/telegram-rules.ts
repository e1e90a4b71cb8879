import {
  findProblem,
  isEnum,
  isFlag,
  isInteger,
  isList,
  isObjectWith,
  isTextUpTo,
  type Members,
  matches,
  type Rule,
} from './rules';
import { readTelegramHtml, type TelegramText } from './telegram-html';

const maxTextCharacters = 4_096;
const maxCallbackBytes = 64;

/** A valid message, or Telegram's description of why it is refused. */
export type ReadTelegramMessage =
  | { chatId: string; html: string; parsedText: TelegramText; options: Members }
  | { problem: string };

/**
 * Reads the form of `sendMessage` by core.telegram.org/bots/api#sendmessage (Bot API 10.1): the types of its fields, those
 * of the objects in them, and "1-4096 characters after entities parsing". Telegram ignores unknown fields. The simulator
 * refuses them, so that tests notice.
 */
export function readTelegramMessage(args: URLSearchParams): ReadTelegramMessage {
  const { chat_id: chatId = '', text: html = '', ...otherArgs } = Object.fromEntries(args);
  if (!isChatId(chatId)) return { problem: 'chat not found' };
  const options = Object.fromEntries(
    Object.entries(otherArgs).map(([name, value]) => [name, readOption(value)]),
  );
  const problem = findProblem(options, optionRules);
  if (problem !== undefined) return { problem: problem };
  const parsedText =
    options['parse_mode'] === 'HTML' ? readTelegramHtml(html) : { text: html, entities: [] };
  if ('problem' in parsedText) return { problem: `can't parse entities: ${parsedText.problem}` };
  const { length } = parsedText.text.trim();
  if (length === 0) return { problem: 'message text is empty' };
  return length > maxTextCharacters
    ? { problem: 'message is too long' }
    : { chatId, html, parsedText, options };
}

/** "at most 52 significant bits", or "@username": 5 to 32 letters, digits and underscores that begin with a letter. */
function isChatId(text: string): boolean {
  if (/^-?[1-9]\d{0,15}$/.test(text)) return Math.abs(Number(text)) < 2 ** 52;
  return /^@[A-Za-z][A-Za-z0-9_]{3,31}$/.test(text);
}

/** Objects, numbers and booleans are sent as JSON in a form field. */
function readOption(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const url = matches(/^https?:\/\/\S+$/, 'must be an HTTP URL');

/** "Exactly one of the fields other than text, icon_custom_emoji_id, and style must be used". */
const isButton: Rule = (value) => {
  const problem = isObjectWith(buttonRules, ['text'])(value);
  if (problem !== undefined) return problem;
  const uses = Object.keys(value as object).filter((name) => name !== 'text');
  return uses.length === 1 ? undefined : 'must have exactly one action';
};

const buttonRules: Record<string, Rule> = {
  text: isTextUpTo(Number.POSITIVE_INFINITY),
  url: matches(/^(https?|tg):\/\/\S+$/, 'must be an HTTP or tg URL'),
  callback_data: (value) =>
    typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= maxCallbackBytes
      ? undefined
      : 'must have 1 to 64 bytes',
};

const optionRules: Record<string, Rule> = {
  parse_mode: isEnum('HTML', 'MarkdownV2', 'Markdown'),
  message_thread_id: isInteger(1, Number.MAX_SAFE_INTEGER),
  disable_notification: isFlag,
  protect_content: isFlag,
  link_preview_options: isObjectWith({
    is_disabled: isFlag,
    url,
    prefer_small_media: isFlag,
    prefer_large_media: isFlag,
    show_above_text: isFlag,
  }),
  reply_markup: isObjectWith(
    { inline_keyboard: isList(isList(isButton, { most: 8 }), { least: 0, most: 100 }) },
    ['inline_keyboard'],
  ),
};

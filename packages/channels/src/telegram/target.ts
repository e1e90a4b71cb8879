import type { Recipient } from '@belfry/shared';
import type { Targeting } from '../channel';

/** A person, group or channel by number; groups and channels have negative numbers. */
const chatNumber = /^-?[1-9]\d{0,15}$/;
/** An ID "has at most 52 significant bits" (core.telegram.org/bots/api#chat). */
const chatNumberLimit = 2 ** 52;
/** A public group or channel by name. */
const chatName = /^@[A-Za-z][A-Za-z0-9_]{3,31}$/;

export function findTelegramTargets({ telegram }: Recipient): Targeting {
  const chatId = telegram?.chatId?.trim();
  if (!chatId) return { skip: 'no_address', detail: 'The recipient has no Telegram chat_id.' };
  if (isChatId(chatId)) return { targets: [{ address: chatId }] };
  return {
    skip: 'invalid_address',
    detail: `chat_id "${chatId}" must be the number of a chat, or the @name of a public group or channel.`,
  };
}

/** Stored as text, because JSON parsers may not read such large numbers exactly. */
export function isChatId(text: string): boolean {
  if (chatNumber.test(text)) return Math.abs(Number(text)) < chatNumberLimit;
  return chatName.test(text);
}

/** Groups and channels have negative numbers or names. */
export function isSharedTelegramTarget(target: string): boolean {
  return /^[-@]/.test(target);
}

/** For example, `@sandbox_bounce`. */
export function findMagicWordOfTelegram(target: string): string | undefined {
  return /^@sandbox_([a-z]+)$/i.exec(target)?.[1]?.toLowerCase();
}

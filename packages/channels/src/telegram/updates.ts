import { createHmac } from 'node:crypto';
import type { LocalReceiptReader, Reply, ReplyWish } from '../channel';
import { isSameSecret } from '../is-same-secret';
import { parseJson, toRecord } from '../read-json';
import { readKeyword } from '../replies';

/** The kinds of updates that we read, for setWebhook. */
export const allowedUpdates = ['message', 'my_chat_member'];

/**
 * The updates that Telegram posts to the bot's webhook (core.telegram.org/bots/api#update). It sends
 * no delivery reports.
 */
export const telegramUpdates: LocalReceiptReader = {
  read({ headers, credentials }) {
    const { bot_token: token } = credentials;
    const secret = headers['x-telegram-bot-api-secret-token'];
    if (typeof token !== 'string' || token === '' || typeof secret !== 'string') return undefined;
    return isSameSecret(secret, createWebhookSecret(token)) ? [] : undefined;
  },

  readReplies({ rawBody, settings }) {
    const update = toRecord(parseJson(rawBody));
    const event = update && (readMessage(update) ?? readMembership(update));
    const id = update?.['update_id'];
    if (!event || typeof id !== 'number') return [];
    const sender = typeof settings['sender'] === 'string' ? settings['sender'] : '';
    return [{ ...event, sender, identity: String(id) }];
  },

  registersUrl: true,
  reportsFailuresOnly: true,
};

/** The `secret_token` of setWebhook, which Telegram repeats in each call. Made from the token, so nothing is stored. */
export function createWebhookSecret(botToken: string): string {
  return createHmac('sha256', botToken).update('belfry webhook').digest('base64url');
}

type ChatEvent = Pick<Reply, 'wish' | 'address' | 'at'>;

/**
 * A command or keyword in a private chat. In a group, any member could otherwise stop the messages
 * of all.
 */
function readMessage(update: Record<string, unknown>): ChatEvent | undefined {
  const message = toRecord(update['message']);
  const chat = toRecord(message?.['chat']);
  const text = message?.['text'];
  if (chat?.['type'] !== 'private' || typeof text !== 'string') return undefined;
  return createEvent(readKeyword(readCommand(text)), chat, message);
}

/** `/stop`, `/stop@acme_bot`, or `/start` with the parameter of a link (core.telegram.org/bots/features#deep-linking). */
function readCommand(text: string): string {
  const [, command] = /^\/([a-z]+)(?:@\w{1,32})?$/i.exec(text.trim()) ?? [];
  if (command) return command;
  return /^\/start [\w-]{1,64}$/i.test(text.trim()) ? 'start' : text;
}

/** A person who blocks the bot, or an administrator who removes it from a group; and the reverse. */
function readMembership(update: Record<string, unknown>): ChatEvent | undefined {
  const change = toRecord(update['my_chat_member']);
  const wish = readStatusChange(
    readStatus(change, 'old_chat_member'),
    readStatus(change, 'new_chat_member'),
  );
  return createEvent(wish, toRecord(change?.['chat']), change);
}

function readStatus(change: Record<string, unknown> | undefined, member: string): unknown {
  return toRecord(change?.[member])?.['status'];
}

function readStatusChange(before: unknown, after: unknown): ReplyWish | undefined {
  if (after === 'kicked') return 'stop';
  const isBack = before === 'kicked' && (after === 'member' || after === 'administrator');
  return isBack ? 'start' : undefined;
}

function createEvent(
  wish: ReplyWish | undefined,
  chat: Record<string, unknown> | undefined,
  event: Record<string, unknown> | undefined,
): ChatEvent | undefined {
  const [id, date] = [chat?.['id'], event?.['date']];
  if (!wish || typeof id !== 'number' || !Number.isSafeInteger(id)) return undefined;
  const isDate = typeof date === 'number' && date >= 0 && date < maxUnixSeconds;
  return { wish, address: String(id), ...(isDate ? { at: new Date(date * 1_000) } : {}) };
}

const maxUnixSeconds = 1e11;

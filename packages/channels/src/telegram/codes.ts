import type { IncomingHttpHeaders } from 'node:http';
import type { ContactUpdate, ExpectedEnd } from '@belfry/shared';
import { retryAfterMs, sortStatus } from '../http';
import type { FailedOutcome } from '../network-failure';
import { isChatId } from './target';

type Suppression = Extract<ContactUpdate, { change: 'suppress' }>['reason'];

export type TelegramCode = {
  errorCode: 400 | 401 | 403 | 404;
  /** How Telegram's description begins, without the words for the status; several wordings were in use over the years. */
  starts: readonly string[];
  scope: 'recipient' | 'content' | 'integration';
  /** What the operator reads. */
  sentence: string;
  /** Why the chat is not written to again. */
  suppress?: Suppression;
  /** Why the message is skipped: an expected end, and no failure. */
  skip?: ExpectedEnd;
};

const wrongToken = {
  scope: 'integration',
  starts: [''],
  sentence: 'Telegram knows no bot with this token: copy it again from @BotFather.',
} as const;

/**
 * What each answer of Telegram means. A chat is suppressed only for what a token of another bot, or a bot that was not
 * started yet, cannot cause: nobody tells us when that has changed.
 */
export const telegramCodes = {
  chat_not_found: {
    errorCode: 400,
    starts: ['chat not found', 'user not found', 'peer_id_invalid', 'chat_id_invalid'],
    scope: 'recipient',
    sentence: 'The bot sees no such chat: the person has to start it, or the group to add it.',
  },
  group_deactivated: {
    errorCode: 400,
    starts: ['group is deactivated', 'group chat was deactivated', 'the group chat was deleted'],
    scope: 'recipient',
    sentence: 'The group does not exist any more.',
    suppress: 'bounced',
    skip: 'device_gone',
  },
  no_right_to_write: {
    errorCode: 400,
    starts: [
      'not enough rights',
      'have no rights to send',
      'need administrator rights',
      'chat_write_forbidden',
      'chat_restricted',
      'topic_closed',
      'topic_deleted',
      'message thread not found',
    ],
    scope: 'recipient',
    sentence: 'The bot may not write there: give it the right to, or open the topic.',
  },
  bad_markup: {
    errorCode: 400,
    starts: ["can't parse entities", "can't parse message text"],
    scope: 'content',
    sentence: 'Telegram could not read the markup of the text.',
  },
  empty_text: {
    errorCode: 400,
    starts: ['message text is empty', 'text must be non-empty'],
    scope: 'content',
    sentence: 'The message has no text.',
  },
  text_too_long: {
    errorCode: 400,
    starts: ['message is too long', 'message_too_long', 'text is too long', 'entities_too_long'],
    scope: 'content',
    sentence: 'The message is longer than Telegram takes.',
  },
  bad_button: {
    errorCode: 400,
    starts: ['button_', "can't parse inline keyboard", "can't parse reply keyboard"],
    scope: 'content',
    sentence: 'Telegram refused a button of the message.',
  },
  unauthorized: { errorCode: 401, ...wrongToken },
  unknown_bot: { errorCode: 404, ...wrongToken },
  bot_blocked: {
    errorCode: 403,
    starts: ['bot was blocked by the user'],
    scope: 'recipient',
    sentence: 'The person has blocked the bot.',
    suppress: 'opted_out',
    skip: 'opted_out',
  },
  user_deactivated: {
    errorCode: 403,
    starts: ['user is deactivated'],
    scope: 'recipient',
    sentence: 'The person’s account does not exist any more.',
    suppress: 'bounced',
    skip: 'device_gone',
  },
  bot_kicked: {
    errorCode: 403,
    starts: ['bot was kicked'],
    scope: 'recipient',
    sentence: 'The bot was removed from the chat.',
    suppress: 'opted_out',
    skip: 'opted_out',
  },
  group_deleted: {
    errorCode: 403,
    starts: ['the group chat was deleted'],
    scope: 'recipient',
    sentence: 'The group does not exist any more.',
    suppress: 'bounced',
    skip: 'device_gone',
  },
  not_a_member: {
    errorCode: 403,
    starts: ['bot is not a member'],
    scope: 'recipient',
    sentence: 'The bot is not in the chat: add it.',
  },
  never_started: {
    errorCode: 403,
    starts: ["bot can't initiate conversation"],
    scope: 'recipient',
    sentence: 'The person has never started the bot, which may not write first.',
  },
  to_a_bot: {
    errorCode: 403,
    starts: ["bot can't send messages to bots", "bot can't send messages to the bot"],
    scope: 'recipient',
    sentence: 'The chat is with a bot, and bots take no messages from bots.',
    suppress: 'bounced',
  },
} as const satisfies Record<string, TelegramCode>;

/** What Telegram says beside `ok: false`. */
export type TelegramRefusal = {
  errorCode: number;
  description: string;
  parameters: Record<string, unknown>;
  headers: IncomingHttpHeaders;
};

export type ClassifiedRefusal = {
  failure: FailedOutcome;
  /** The chat has this id now; nothing was sent. */
  movedTo?: string;
  suppress?: Suppression;
};

/** By the code, then by its parameters, and by words only where nothing else tells: those have changed before. */
export function classifyTelegramRefusal(refusal: TelegramRefusal): ClassifiedRefusal {
  const { errorCode, parameters, headers } = refusal;
  if (errorCode === 429) return { failure: throttled(parameters, headers) };
  const movedTo = errorCode === 400 ? parseChatId(parameters['migrate_to_chat_id']) : undefined;
  if (movedTo !== undefined) return { failure: moved, movedTo };
  const entry = findCode(refusal);
  if (entry) {
    const { reason, scope, sentence: detail, suppress, skip } = entry;
    const failure = {
      outcome: 'rejected',
      scope,
      reason,
      detail,
      ...(skip ? { skip } : {}),
    } as const;
    return { failure, ...(suppress ? { suppress } : {}) };
  }
  const unlisted = unlistedScopes[errorCode];
  if (!unlisted) return { failure: sortStatus(errorCode, headers) };
  return {
    failure: {
      outcome: 'rejected',
      scope: unlisted,
      reason: `telegram_${errorCode}`,
      detail: `Telegram refused the message with the code ${errorCode}.`,
    },
  };
}

const unlistedScopes: Record<number, 'recipient' | 'content' | undefined> = {
  400: 'content',
  403: 'recipient',
};

/** Certainly not sent, so that a group that moves on once more is tried again from the start. */
const moved: FailedOutcome = {
  outcome: 'retry',
  reason: 'chat_moved',
  detail: 'The group has another id now, because it became a supergroup.',
};

/** Telegram counts in whole seconds: a call at the very end of the wait may still be too early. */
const marginSeconds = 1;

function throttled(
  { retry_after: seconds }: Record<string, unknown>,
  headers: IncomingHttpHeaders,
): FailedOutcome {
  const isNamed = typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0;
  const afterMs = isNamed
    ? Math.ceil(seconds + marginSeconds) * 1_000
    : retryAfterMs(headers, Date.now());
  return {
    outcome: 'retry',
    reason: 'too_many_requests',
    // Telegram does not say which of the two.
    slows: 'target',
    detail: 'Telegram wants fewer messages a second from the bot, or to the chat.',
    ...(afterMs === undefined ? {} : { afterMs }),
  };
}

function parseChatId(value: unknown): string | undefined {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return isChatId(text) ? text : undefined;
}

function findCode({
  errorCode,
  description,
}: TelegramRefusal): (TelegramCode & { reason: string }) | undefined {
  const normalizedText = description
    .toLowerCase()
    .replace(/^(bad request|forbidden|unauthorized|not found):\s*/, '');
  for (const [reason, code] of Object.entries<TelegramCode>(telegramCodes)) {
    const isIt =
      code.errorCode === errorCode && code.starts.some((text) => normalizedText.startsWith(text));
    if (isIt) return { ...code, reason };
  }
  return undefined;
}

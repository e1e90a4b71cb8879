import type { IncomingHttpHeaders } from 'node:http';
import type { ContactUpdate, ExpectedEnd } from '@belfry/shared';
import { classifyStatus, retryAfterMs } from '../http';
import type { FailedOutcome } from '../network-failure';
import { isChatId } from './target';

type Suppression = Extract<ContactUpdate, { change: 'suppress' }>['reason'];

export type TelegramCode = {
  errorCode: 400 | 401 | 403 | 404;
  /**
   * The start of Telegram's description, without the status text. Several wordings were used over
   * the years.
   */
  starts: readonly string[];
  scope: 'recipient' | 'content' | 'integration';
  /** Shown to the operator. */
  sentence: string;
  /** Why the chat is suppressed. */
  suppress?: Suppression;
  /** Why the message is skipped: an expected end, not a failure. */
  skip?: ExpectedEnd;
};

const wrongToken = {
  scope: 'integration',
  starts: [''],
  sentence: 'Telegram has no bot with this token. Copy the token again from @BotFather.',
} as const;

/**
 * Classifies Telegram's errors. A chat is suppressed only for errors that a wrong token or an
 * unstarted bot cannot cause, because Telegram does not report when those end.
 */
export const telegramCodes = {
  chat_not_found: {
    errorCode: 400,
    starts: ['chat not found', 'user not found', 'peer_id_invalid', 'chat_id_invalid'],
    scope: 'recipient',
    sentence:
      'The bot has no access to this chat. The person must start the bot, or the group must add it.',
  },
  group_deactivated: {
    errorCode: 400,
    starts: ['group is deactivated', 'group chat was deactivated', 'the group chat was deleted'],
    scope: 'recipient',
    sentence: 'The group no longer exists.',
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
    sentence: 'The bot may not write in this chat. Give it the permission, or open the topic.',
  },
  bad_markup: {
    errorCode: 400,
    starts: ["can't parse entities", "can't parse message text"],
    scope: 'content',
    sentence: 'Telegram could not parse the markup of the text.',
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
    sentence: 'The message is longer than Telegram’s limit.',
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
    sentence: 'The person’s account no longer exists.',
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
    sentence: 'The group no longer exists.',
    suppress: 'bounced',
    skip: 'device_gone',
  },
  not_a_member: {
    errorCode: 403,
    starts: ['bot is not a member'],
    scope: 'recipient',
    sentence: 'The bot is not in the chat. Add it.',
  },
  never_started: {
    errorCode: 403,
    starts: ["bot can't initiate conversation"],
    scope: 'recipient',
    sentence: 'The person has never started the bot, and a bot may not write first.',
  },
  to_a_bot: {
    errorCode: 403,
    starts: ["bot can't send messages to bots", "bot can't send messages to the bot"],
    scope: 'recipient',
    sentence: 'The chat is with a bot, and bots get no messages from bots.',
    suppress: 'bounced',
  },
} as const satisfies Record<string, TelegramCode>;

/** The fields of a response with `ok: false`. */
export type TelegramRefusal = {
  errorCode: number;
  description: string;
  parameters: Record<string, unknown>;
  headers: IncomingHttpHeaders;
};

export type ClassifiedRefusal = {
  failure: FailedOutcome;
  /** The chat's new ID; nothing was sent. */
  movedTo?: string;
  suppress?: Suppression;
};

/**
 * Classifies by code, then by parameters. Texts decide only when nothing else does, because they
 * have changed before.
 */
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
  if (!unlisted) return { failure: classifyStatus(errorCode, headers) };
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

/** Certainly not sent, so a group that moves again is retried from the start. */
const moved: FailedOutcome = {
  outcome: 'retry',
  sparesIntegration: true,
  reason: 'chat_moved',
  detail: 'The group has a new id, because it became a supergroup.',
};

/** Telegram counts whole seconds, so a call at the exact end of the wait may be too early. */
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
    detail: 'Telegram asks for fewer messages per second from the bot, or to the chat.',
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

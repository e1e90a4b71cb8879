import type { ExpectedEnd } from '@belfry/shared';
import type { FailedOutcome } from '../network-failure';

type Verdict =
  | { outcome: 'retry'; afterMs?: number; slows?: 'integration' }
  | { outcome: 'unknown' }
  | {
      outcome: 'rejected';
      scope: 'recipient' | 'content' | 'integration';
      /** Why the message is skipped: an expected end, not a failure. */
      skip?: ExpectedEnd;
    };

export type SlackCode = Verdict & {
  /** Shown to the operator. */
  sentence: string;
};

const integration = { outcome: 'rejected', scope: 'integration' } as const;
const recipient = { outcome: 'rejected', scope: 'recipient' } as const;
const content = { outcome: 'rejected', scope: 'content' } as const;
const hourMs = 60 * 60 * 1000;

const wrongToken = {
  ...integration,
  sentence: 'Slack rejected the token. Install the app again and store the new token.',
} as const;
const notAllowed = {
  ...integration,
  sentence: 'The workspace does not allow the app to do this. Ask a workspace administrator.',
} as const;
const notPermitted = {
  ...recipient,
  sentence: 'Only some members of the workspace may post there.',
} as const;
const badBlocks = {
  ...content,
  sentence: 'Slack refused the blocks. Check them in the Block Kit Builder.',
} as const;
const tooLong = {
  ...content,
  sentence: 'The message is longer than Slack’s limit.',
} as const;
const badArguments = {
  ...content,
  sentence: 'Slack refused the request because a value of the message is invalid.',
} as const;
const tooFast = {
  outcome: 'retry',
  slows: 'integration',
  sentence: 'Slack asks for fewer messages per second.',
} as const;
const quotaUsedUp = {
  outcome: 'retry',
  slows: 'integration',
  afterMs: hourMs,
  sentence: 'The workspace has reached its message quota.',
} as const;
const slackFault = {
  outcome: 'unknown',
  sentence: 'Slack had a fault, and may have posted the message.',
} as const;

/** Slack's error codes; the codes of one family share a sentence. */
export const slackCodes = {
  invalid_auth: wrongToken,
  not_authed: wrongToken,
  account_inactive: wrongToken,
  token_revoked: wrongToken,
  token_expired: wrongToken,
  no_permission: notAllowed,
  not_allowed_token_type: {
    ...integration,
    sentence: 'Slack requires another kind of token. Use the bot token (xoxb-…).',
  },
  org_login_required: notAllowed,
  team_access_not_granted: notAllowed,
  ekm_access_denied: notAllowed,
  access_denied: notAllowed,
  missing_scope: {
    ...integration,
    sentence:
      'The app lacks a permission. Add the scope that Slack names, and install the app again.',
  },
  channel_not_found: {
    ...recipient,
    sentence:
      'The token sees no such channel. It may be in another workspace, or be a private channel.',
  },
  is_archived: { ...recipient, sentence: 'The channel is archived.' },
  not_in_channel: {
    ...recipient,
    sentence: 'The bot is not in the channel. Use /invite in the channel to add it.',
  },
  user_not_found: { ...recipient, sentence: 'The workspace has no such user.' },
  users_not_found: { ...recipient, sentence: 'Nobody in the workspace has this e-mail address.' },
  user_disabled: {
    ...recipient,
    skip: 'device_gone',
    sentence: 'The user’s account is deactivated.',
  },
  user_not_visible: { ...recipient, sentence: 'The app may not see this user.' },
  cannot_dm_bot: { ...recipient, sentence: 'The address is a bot, which accepts no messages.' },
  messages_tab_disabled: {
    ...recipient,
    sentence: 'The app accepts no direct messages. Enable its Messages tab.',
  },
  restricted_action: notPermitted,
  restricted_action_read_only_channel: notPermitted,
  restricted_action_thread_only_channel: notPermitted,
  restricted_action_non_threadable_channel: notPermitted,
  restricted_action_thread_locked: notPermitted,
  posting_to_general_channel_denied: notPermitted,
  no_text: { ...content, sentence: 'The message has no text.' },
  msg_too_long: tooLong,
  msg_blocks_too_long: tooLong,
  invalid_blocks: badBlocks,
  invalid_blocks_format: badBlocks,
  too_many_attachments: tooLong,
  invalid_arguments: badArguments,
  invalid_metadata_format: badArguments,
  invalid_metadata_schema: badArguments,
  ratelimited: tooFast,
  rate_limited: tooFast,
  message_limit_exceeded: quotaUsedUp,
  team_quota_exceeded: quotaUsedUp,
  internal_error: slackFault,
  service_unavailable: slackFault,
  team_added_to_org: slackFault,
  request_timeout: slackFault,
  fatal_error: slackFault,
} as const satisfies Record<string, SlackCode>;

const families: readonly [string, SlackCode][] = [
  ['restricted_action', notPermitted],
  ['invalid_metadata_', badArguments],
];

/**
 * Classifies a code. An unlisted code counts as an error of the content, so that the message is not
 * retried.
 */
export function classifySlackCode(code: string): FailedOutcome {
  const entry = findCode(code);
  const { outcome, sentence } = entry ?? unlisted(code);
  const explanation = { reason: code, detail: sentence };
  if (entry?.outcome === 'rejected') {
    const { scope, skip } = entry;
    return { outcome: 'rejected', scope, ...explanation, ...(skip ? { skip } : {}) };
  }
  if (entry?.outcome === 'retry') {
    const { afterMs, slows } = entry;
    return {
      outcome: 'retry',
      ...explanation,
      ...(afterMs ? { afterMs } : {}),
      ...(slows ? { slows } : {}),
    };
  }
  return outcome === 'unknown'
    ? { outcome: 'unknown', ...explanation }
    : { outcome: 'rejected', scope: 'content', ...explanation };
}

function findCode(code: string): SlackCode | undefined {
  const listed: Record<string, SlackCode> = slackCodes;
  if (Object.hasOwn(listed, code)) return listed[code];
  return families.find(([prefix]) => code.startsWith(prefix))?.[1];
}

function unlisted(code: string): SlackCode {
  return { ...content, sentence: `Slack refused the message with the code ${code}.` };
}

import type { ExpectedEnd } from '@belfry/shared';
import type { FailedOutcome } from '../network-failure';

type Verdict =
  | { outcome: 'retry'; afterMs?: number; slows?: 'integration' }
  | { outcome: 'unknown' }
  | {
      outcome: 'rejected';
      scope: 'recipient' | 'content' | 'integration';
      /** Why the message is skipped: an expected end, and no failure. */
      skip?: ExpectedEnd;
    };

export type SlackCode = Verdict & {
  /** What the operator reads. */
  sentence: string;
};

const integration = { outcome: 'rejected', scope: 'integration' } as const;
const recipient = { outcome: 'rejected', scope: 'recipient' } as const;
const content = { outcome: 'rejected', scope: 'content' } as const;
const hourMs = 60 * 60 * 1000;

const wrongToken = {
  ...integration,
  sentence: 'Slack does not take the token: install the app again and store the new one.',
} as const;
const notAllowed = {
  ...integration,
  sentence: 'The workspace does not let the app do this: ask one of its administrators.',
} as const;
const notPermitted = {
  ...recipient,
  sentence: 'The workspace lets only some of its members post there.',
} as const;
const badBlocks = {
  ...content,
  sentence: 'Slack refused the blocks: try them in the Block Kit Builder.',
} as const;
const tooLong = {
  ...content,
  sentence: 'The message is longer than Slack takes.',
} as const;
const badArguments = {
  ...content,
  sentence: 'Slack refused the request: the message holds what it does not take.',
} as const;
const tooFast = {
  outcome: 'retry',
  slows: 'integration',
  sentence: 'Slack wants fewer messages a second.',
} as const;
const quotaUsedUp = {
  outcome: 'retry',
  slows: 'integration',
  afterMs: hourMs,
  sentence: 'The workspace has used up its quota of messages.',
} as const;
const slackFault = {
  outcome: 'unknown',
  sentence: 'Slack had a fault, and may have posted the message all the same.',
} as const;

/** What each code of Slack means; the codes of one family share a sentence. */
export const slackCodes = {
  invalid_auth: wrongToken,
  not_authed: wrongToken,
  account_inactive: wrongToken,
  token_revoked: wrongToken,
  token_expired: wrongToken,
  no_permission: notAllowed,
  not_allowed_token_type: {
    ...integration,
    sentence: 'Slack wants a token of another kind: use the bot token (xoxb-…).',
  },
  org_login_required: notAllowed,
  team_access_not_granted: notAllowed,
  ekm_access_denied: notAllowed,
  access_denied: notAllowed,
  missing_scope: {
    ...integration,
    sentence: 'The app lacks a permission: add the scope that Slack names, and install it again.',
  },
  channel_not_found: {
    ...recipient,
    sentence: 'The token cannot see such a channel: another workspace, or a private channel.',
  },
  is_archived: { ...recipient, sentence: 'The channel is archived.' },
  not_in_channel: { ...recipient, sentence: 'The bot is not in the channel: invite it.' },
  user_not_found: { ...recipient, sentence: 'The workspace has no such person.' },
  users_not_found: { ...recipient, sentence: 'Nobody in the workspace has this e-mail address.' },
  user_disabled: {
    ...recipient,
    skip: 'device_gone',
    sentence: 'The person’s account is deactivated.',
  },
  user_not_visible: { ...recipient, sentence: 'The app may not see this person.' },
  cannot_dm_bot: { ...recipient, sentence: 'The address is a bot, which takes no messages.' },
  messages_tab_disabled: {
    ...recipient,
    sentence: 'The app takes no direct messages: switch its Messages tab on.',
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

/** What a code means; one that is not listed is taken for a fault of the message, so that it is not sent again and again. */
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

import {
  findProblem,
  isAnything,
  isFlag,
  isObjectWith,
  isString,
  isTextUpTo,
  type Members,
  matches,
  type Rule,
} from './rules';
import { findBlocksProblem } from './slack-blocks';

export type SlackProblem = { error: string; message?: string };

const maxTextCharacters = 40_000;
/** Observed, but not documented: blocks of 13,200 characters together were refused (slackapi/bolt-js#2509). */
const maxBlocksCharacters = 13_200;

/**
 * Why `chat.postMessage` refuses its arguments, by docs.slack.dev/reference/methods/chat.postMessage: the errors listed
 * there, in the order of checking here. Slack ignores unknown arguments. The simulator refuses them, so that
 * tests notice. `token` is accepted because the SDK repeats it from the header.
 */
export function findPostProblem(args: URLSearchParams): SlackProblem | undefined {
  const parsedArgs = readArguments(args);
  return findTextError(parsedArgs) ?? findBlocksError(parsedArgs) ?? findArgumentError(parsedArgs);
}

function findTextError({ channel, text = '', blocks }: Members): SlackProblem | undefined {
  if (typeof channel !== 'string' || !/^[CGD][A-Z0-9]{8,}$/.test(channel)) {
    return { error: 'channel_not_found' };
  }
  const hasBlocks = Array.isArray(blocks) && blocks.length > 0;
  if (text === '' && !hasBlocks) return { error: 'no_text' };
  return String(text).length > maxTextCharacters ? { error: 'msg_too_long' } : undefined;
}

function findArgumentError(args: Members): SlackProblem | undefined {
  const message = findProblem(args, rules);
  if (message === undefined) return undefined;
  return { error: message.startsWith('metadata') ? metadataError : 'invalid_arguments', message };
}

const metadataError = 'invalid_metadata_format';

function findBlocksError({ blocks = [] }: Members): SlackProblem | undefined {
  if (!Array.isArray(blocks)) return { error: 'invalid_blocks_format' };
  const message = findBlocksProblem(blocks);
  if (message !== undefined) return { error: 'invalid_blocks', message };
  return countCharacters(blocks) > maxBlocksCharacters
    ? { error: 'msg_blocks_too_long' }
    : undefined;
}

function countCharacters(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((sum, [name, member]) => {
    const own = name === 'text' && typeof member === 'string' ? member.length : 0;
    return sum + own + countCharacters(member);
  }, 0);
}

/** Objects, lists and booleans are sent as JSON in a form field. */
function readArguments(args: URLSearchParams): Members {
  return Object.fromEntries([...args].map(([name, value]) => [name, readArgument(name, value)]));
}

function readArgument(name: string, value: string): unknown {
  if (texts.has(name)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const texts = new Set(['token', 'channel', 'text', 'thread_ts', 'username', 'icon_emoji']);

const rules: Record<string, Rule> = {
  token: isString,
  channel: isAnything,
  text: isString,
  blocks: isAnything,
  thread_ts: matches(/^\d{10}\.\d{6}$/, 'is not the ts of a message'),
  reply_broadcast: isFlag,
  mrkdwn: isFlag,
  unfurl_links: isFlag,
  unfurl_media: isFlag,
  link_names: isFlag,
  parse: matches(/^(full|none)$/, 'must be full or none'),
  username: isTextUpTo(80),
  icon_emoji: matches(/^:[\w+-]+:$/, 'must be :name:'),
  icon_url: matches(/^https?:\/\/\S+$/, 'is not a URL'),
  metadata: isObjectWith(
    {
      event_type: matches(/^\w{1,255}$/, 'must be letters, digits and _'),
      event_payload: isObjectWith({ message_id: isString }),
    },
    ['event_type', 'event_payload'],
  ),
};

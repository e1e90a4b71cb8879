import { findProblem, isEnum, isFlag, isInteger, isList, matches, type Rule } from './rules';

/** A bot's webhook; an empty URL if it has none. */
export type TelegramWebhook = { url: string; secret?: string; allowedUpdates: string[] };

export type TelegramUpdate = { update_id: number } & Record<string, unknown>;

export type TelegramCallOptions = {
  /** The URL to post to if the registered one is not reachable from here. */
  origin?: string;
  /** `wrong` sends another secret, `none` sends none. */
  secret?: 'right' | 'wrong' | 'none';
};

export const noWebhook: TelegramWebhook = { url: '', allowedUpdates: [] };

/**
 * Reads the form of `setWebhook` by core.telegram.org/bots/api#setwebhook: "HTTPS URL to send updates to" on port 443, 80,
 * 88 or 8443, and a secret of "1-256 characters. Only characters A-Z, a-z, 0-9, _ and - are allowed". An empty URL removes
 * the webhook. Telegram ignores unknown fields and unknown kinds of updates. The simulator refuses them.
 */
export function readWebhook(args: URLSearchParams): TelegramWebhook | { problem: string } {
  const { url = '', ...others } = Object.fromEntries(args);
  if (url === '') return noWebhook;
  const problem = findUrlProblem(url);
  if (problem) return { problem: `bad webhook: ${problem}` };
  const options = Object.fromEntries(
    Object.entries(others).map(([name, value]) => [name, readOption(name, value)]),
  );
  const optionProblem = findProblem(options, optionRules);
  if (optionProblem) return { problem: optionProblem };
  const { secret_token: secret, allowed_updates: kinds } = options;
  return {
    url,
    ...(typeof secret === 'string' ? { secret } : {}),
    allowedUpdates: Array.isArray(kinds) ? kinds : [],
  };
}

const ports = ['', '80', '88', '8443'];

function findUrlProblem(url: string): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'https:') return 'An HTTPS URL must be provided for webhook';
  return ports.includes(parsed.port)
    ? undefined
    : 'Webhook can be set up only on ports 80, 88, 443 or 8443';
}

/** Lists, numbers and booleans are sent as JSON in a form field. */
function readOption(name: string, value: string): unknown {
  if (name === 'secret_token') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const optionRules: Record<string, Rule> = {
  secret_token: matches(/^[A-Za-z0-9_-]{1,256}$/, 'contains unallowed characters'),
  allowed_updates: isList(isEnum('message', 'edited_message', 'callback_query', 'my_chat_member'), {
    least: 0,
    most: 50,
  }),
  max_connections: isInteger(1, 100),
  drop_pending_updates: isFlag,
};

const timeoutMs = 10_000;

/** Posts an update as Telegram does, and returns the status of the answer. Undefined if the webhook does not want it. */
export async function postUpdate(
  { url, secret, allowedUpdates }: TelegramWebhook,
  update: TelegramUpdate,
  { origin, secret: kind = 'right' }: TelegramCallOptions,
): Promise<number | undefined> {
  if (url === '') throw new Error('The bot has no webhook');
  const kinds = Object.keys(update).filter((name) => name !== 'update_id');
  if (allowedUpdates.length > 0 && !kinds.every((name) => allowedUpdates.includes(name))) {
    return undefined;
  }
  const { pathname, search } = new URL(url);
  const sentSecret = kind === 'wrong' ? 'another-secret' : secret;
  const answer = await fetch(origin ? origin + pathname + search : url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(sentSecret && kind !== 'none' ? { 'x-telegram-bot-api-secret-token': sentSecret } : {}),
    },
    body: JSON.stringify(update),
    signal: AbortSignal.timeout(timeoutMs),
  });
  await answer.arrayBuffer();
  return answer.status;
}

import type { FailedOutcome } from '../network-failure';

/** Where in the conversation a server answered. */
export type SmtpStage = 'greeting' | 'hello' | 'auth' | 'mail' | 'rcpt' | 'data' | 'end';

export type SmtpReply = { stage: SmtpStage; reply: string };

type Verdict =
  | { outcome: 'retry'; afterMs?: number }
  | { outcome: 'rejected'; scope: 'recipient' | 'content' | 'integration' };

type SmtpReplyRow = Verdict & {
  reason: string;
  /** What the operator reads. */
  sentence: string;
  stages?: readonly SmtpStage[];
  /** Of the three-digit code. */
  code?: RegExp;
  /** Of the enhanced status code, RFC 3463. */
  enhanced?: RegExp;
  text?: RegExp;
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** What a refusal means. The first row that fits decides; the first digit is never overruled by the text, but for quotas. */
export const smtpReplies: readonly SmtpReplyRow[] = [
  {
    reason: 'greeting_refused',
    stages: ['greeting'],
    code: /^5/,
    outcome: 'retry',
    afterMs: hourMs,
    sentence:
      'The mail server refuses connections from this address: ask its operator (IP reputation).',
  },
  {
    reason: 'auth_unavailable',
    stages: ['auth'],
    code: /^4/,
    outcome: 'retry',
    sentence: 'The mail server cannot check the user name and password at the moment.',
  },
  {
    reason: 'credentials_refused',
    stages: ['auth'],
    outcome: 'rejected',
    scope: 'integration',
    sentence: 'The mail server refused the user name or password.',
  },
  {
    reason: 'no_tls',
    stages: ['hello'],
    code: /^5/,
    outcome: 'rejected',
    scope: 'integration',
    sentence: 'The mail server does not offer STARTTLS, which the integration requires.',
  },
  {
    reason: 'too_many_connections',
    code: /^(421|432)/,
    outcome: 'retry',
    sentence: 'The mail server wants fewer connections.',
  },
  {
    reason: 'authentication_required',
    code: /^530/,
    outcome: 'rejected',
    scope: 'integration',
    sentence: 'The mail server wants authentication or TLS, which the integration does not have.',
  },
  {
    reason: 'mailbox_full',
    code: /^(452|552)/,
    enhanced: /^[45]\.2\.2$/,
    outcome: 'retry',
    afterMs: hourMs,
    sentence: 'The recipient’s mailbox is full.',
  },
  {
    reason: 'mailbox_full',
    stages: ['rcpt'],
    code: /^552/,
    outcome: 'retry',
    afterMs: hourMs,
    sentence: 'The recipient’s mailbox is full.',
  },
  {
    reason: 'daily_limit',
    code: /^5/,
    enhanced: /^5\.4\.5$/,
    outcome: 'retry',
    afterMs: 6 * hourMs,
    sentence: 'The mailbox that sends has used up its daily limit.',
  },
  {
    reason: 'daily_limit',
    code: /^5/,
    text: /^(?=.*\bdaily\b).*\b(?:limit|quota)/is,
    outcome: 'retry',
    afterMs: 6 * hourMs,
    sentence: 'The mailbox that sends has used up its daily limit.',
  },
  {
    reason: 'bad_sequence',
    code: /^503/,
    outcome: 'retry',
    sentence: 'The mail server lost track of the conversation; a new connection is made.',
  },
  {
    reason: 'greylisted',
    stages: ['mail', 'rcpt', 'data', 'end'],
    code: /^45[01]/,
    outcome: 'retry',
    afterMs: 5 * minuteMs,
    sentence: 'The mail server wants the mail again later (greylisting or a passing fault).',
  },
  {
    reason: 'refused_for_now',
    code: /^4/,
    outcome: 'retry',
    sentence: 'The mail server cannot take the mail at the moment.',
  },
  {
    reason: 'too_large',
    enhanced: /^5\.3\.4$/,
    outcome: 'rejected',
    scope: 'content',
    sentence: 'The mail is larger than the mail server allows.',
  },
  {
    reason: 'too_large',
    code: /^552/,
    outcome: 'rejected',
    scope: 'content',
    sentence: 'The mail is larger than the mail server allows.',
  },
  {
    reason: 'policy',
    enhanced: /^5\.7\.\d+$/,
    outcome: 'rejected',
    scope: 'content',
    sentence:
      'The mail server refused the mail by its policy (spam, relaying or sender rules); the address may be fine.',
  },
  {
    reason: 'no_such_mailbox',
    stages: ['rcpt', 'data', 'end'],
    enhanced: /^5\.(1\.([1-6]|10)|2\.1)$/,
    outcome: 'rejected',
    scope: 'recipient',
    sentence: 'There is no such mailbox.',
  },
  {
    reason: 'policy',
    code: /^554/,
    outcome: 'rejected',
    scope: 'content',
    sentence:
      'The mail server refused the mail by its policy (spam, relaying or sender rules); the address may be fine.',
  },
  {
    reason: 'recipient_refused',
    stages: ['rcpt'],
    code: /^5/,
    outcome: 'rejected',
    scope: 'recipient',
    sentence: 'The mail server refused the address.',
  },
  {
    reason: 'sender_refused',
    stages: ['mail'],
    code: /^5/,
    outcome: 'rejected',
    scope: 'integration',
    sentence: 'The mail server refused the sender’s address.',
  },
  {
    reason: 'mail_refused',
    code: /^5/,
    outcome: 'rejected',
    scope: 'content',
    sentence: 'The mail server refused the mail.',
  },
];

/** What a server's refusal means; undefined when the reply is none. */
export function classifySmtpReply(reply: SmtpReply): FailedOutcome | undefined {
  const row = findSmtpReplyRow(reply);
  return row && toOutcome(row);
}

/** The row that decides about a reply. */
export function findSmtpReplyRow({ stage, reply }: SmtpReply): SmtpReplyRow | undefined {
  const [, code = '', enhanced = ''] =
    /^(\d{3})[ -]?(?:([245]\.\d{1,3}\.\d{1,3})\b)?/.exec(reply) ?? [];
  if (!/^[45]/.test(code)) return undefined;
  return smtpReplies.find(
    (candidate) =>
      (candidate.stages?.includes(stage) ?? true) &&
      (candidate.code?.test(code) ?? true) &&
      (candidate.enhanced?.test(enhanced) ?? true) &&
      (candidate.text?.test(reply) ?? true),
  );
}

function toOutcome(row: SmtpReplyRow): FailedOutcome {
  const { reason, sentence: detail } = row;
  if (row.outcome === 'rejected') {
    return { outcome: 'rejected', scope: row.scope, reason, detail };
  }
  const after = row.afterMs === undefined ? {} : { afterMs: row.afterMs };
  return { outcome: 'retry', reason, detail, ...after };
}

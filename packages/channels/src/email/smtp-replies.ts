import type { FailedOutcome } from '../network-failure';

/** The stage of the SMTP conversation at which a server replied. */
export type SmtpStage = 'greeting' | 'hello' | 'auth' | 'mail' | 'rcpt' | 'data' | 'end';

export type SmtpReply = { stage: SmtpStage; reply: string };

type Verdict =
  | { outcome: 'retry'; afterMs?: number }
  | { outcome: 'rejected'; scope: 'recipient' | 'content' | 'integration' };

type SmtpReplyRow = Verdict & {
  reason: string;
  /** Shown to the operator. */
  sentence: string;
  stages?: readonly SmtpStage[];
  /** Matches the three-digit code. */
  code?: RegExp;
  /** Matches the enhanced status code (RFC 3463). */
  enhanced?: RegExp;
  text?: RegExp;
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * Classifies SMTP refusals. The first matching row decides. The text never overrules the first
 * digit, except for quotas.
 */
export const smtpReplies: readonly SmtpReplyRow[] = [
  {
    reason: 'greeting_refused',
    stages: ['greeting'],
    code: /^5/,
    outcome: 'retry',
    afterMs: hourMs,
    sentence:
      'The mail server refuses connections from this IP address. Ask its operator about the IP reputation.',
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
    sentence: 'The mail server asks for fewer connections.',
  },
  {
    reason: 'authentication_required',
    code: /^530/,
    outcome: 'rejected',
    scope: 'integration',
    sentence: 'The mail server requires authentication or TLS. Set them in the integration.',
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
    sentence: 'The sending mailbox has reached its daily limit.',
  },
  {
    reason: 'daily_limit',
    code: /^5/,
    text: /^(?=.*\bdaily\b).*\b(?:limit|quota)/is,
    outcome: 'retry',
    afterMs: 6 * hourMs,
    sentence: 'The sending mailbox has reached its daily limit.',
  },
  {
    reason: 'bad_sequence',
    code: /^503/,
    outcome: 'retry',
    sentence:
      'The mail server lost the state of the session. The next attempt uses a new connection.',
  },
  {
    reason: 'greylisted',
    stages: ['mail', 'rcpt', 'data', 'end'],
    code: /^45[01]/,
    outcome: 'retry',
    afterMs: 5 * minuteMs,
    sentence: 'The mail server asks to retry later (greylisting or a temporary fault).',
  },
  {
    reason: 'refused_for_now',
    code: /^4/,
    outcome: 'retry',
    sentence: 'The mail server cannot accept the mail at the moment.',
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
      'The mail server’s policy refused the mail (spam, relaying or sender rules). The address may be valid.',
  },
  {
    reason: 'no_such_mailbox',
    stages: ['rcpt', 'data', 'end'],
    enhanced: /^5\.(1\.([1-6]|10)|2\.1)$/,
    outcome: 'rejected',
    scope: 'recipient',
    sentence: 'The mailbox does not exist.',
  },
  {
    reason: 'policy',
    code: /^554/,
    outcome: 'rejected',
    scope: 'content',
    sentence:
      'The mail server’s policy refused the mail (spam, relaying or sender rules). The address may be valid.',
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

/** Classifies a server's refusal. Undefined when the reply is not a refusal. */
export function classifySmtpReply(reply: SmtpReply): FailedOutcome | undefined {
  const row = findSmtpReplyRow(reply);
  return row && toOutcome(row, reply.stage);
}

/** The first table row that matches a reply. */
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

function toOutcome(row: SmtpReplyRow, stage: SmtpStage): FailedOutcome {
  const { reason, sentence: detail } = row;
  if (row.outcome === 'rejected') {
    return { outcome: 'rejected', scope: row.scope, reason, detail };
  }
  const after = row.afterMs === undefined ? {} : { afterMs: row.afterMs };
  const isAboutRecipient =
    reason === 'mailbox_full' || (stage === 'rcpt' && laterReasons.includes(reason));
  const spares = isAboutRecipient ? { sparesIntegration: true } : {};
  return { outcome: 'retry', reason, detail, ...after, ...spares };
}

/** At RCPT, they are about the recipient. */
const laterReasons = ['greylisted', 'refused_for_now'];

import type { IncomingHttpHeaders } from 'node:http';
import type { ContactUpdate, ExpectedEnd, RefusalReason } from '@belfry/shared';
import { retryAfterMs, sortStatus } from '../http';
import type { FailedOutcome } from '../network-failure';

type Verdict =
  | {
      outcome: 'retry';
      afterMs?: number;
      maxAttempts?: number;
      slows?: 'integration';
      blames?: 'recipient';
    }
  | { outcome: 'unknown'; blames?: 'recipient' }
  | { outcome: 'rejected'; scope: 'recipient' | 'content' }
  | {
      outcome: 'rejected';
      scope: 'integration';
      /** Fails its message alone: always, or where the call named the sender. */
      sparesIntegration?: 'always' | 'with_own_sender';
    };

export type TwilioCode = Verdict & {
  /** What the operator reads. */
  sentence: string;
  /** What it says about the address: for the sender that was used, or for every one. */
  suppress?: { reason: 'opted_out' | 'bounced'; for: 'sender' | 'every sender' };
};

const integration = { outcome: 'rejected', scope: 'integration' } as const;
const recipient = { outcome: 'rejected', scope: 'recipient' } as const;
const content = { outcome: 'rejected', scope: 'content' } as const;
const minuteMs = 60_000;

const optedOut = { reason: 'opted_out', for: 'sender' } as const;
const blocked = { reason: 'bounced', for: 'sender' } as const;
const dead = { reason: 'bounced', for: 'every sender' } as const;

const accountClosed = {
  ...integration,
  sentence: 'The Twilio account is suspended or closed: see its console.',
} as const;
const wrongSender = {
  ...integration,
  sparesIntegration: 'with_own_sender',
  sentence:
    'Twilio does not let the account send from this sender: check the integration’s sender.',
} as const;
const unregistered = {
  ...integration,
  sparesIntegration: 'with_own_sender',
  sentence: 'The sender is not registered for this traffic: finish its registration with Twilio.',
} as const;
const badNumber = {
  ...recipient,
  suppress: dead,
  sentence: 'Twilio says that this is no number that can get the message.',
} as const;
const tooFast = {
  outcome: 'retry',
  slows: 'integration',
  sentence: 'Twilio wants fewer calls a second.',
} as const;
const queueFull = {
  outcome: 'retry',
  slows: 'integration',
  afterMs: 5 * minuteMs,
  sentence:
    'The sender’s queue at Twilio is full: more senders, or fewer messages, would empty it.',
} as const;
const twilioFault = {
  outcome: 'unknown',
  sentence: 'Twilio had a fault, and may have sent the message all the same.',
} as const;
const noRoute = {
  ...recipient,
  sentence: 'Twilio does not send there: allow the country in the console’s geo permissions.',
} as const;
const toItself = { ...recipient, sentence: 'The recipient is the sender itself.' } as const;
const badMedia = { ...content, sentence: 'Twilio cannot send these media.' } as const;
const tooLong = {
  ...content,
  sentence: 'The text is longer than the 1600 characters Twilio takes.',
} as const;
const filtered = {
  ...content,
  sentence: 'The network took the message for spam or fraud and dropped it.',
} as const;
const lostOnTheWay = {
  outcome: 'unknown',
  blames: 'recipient',
  sentence: 'The network does not say what became of the message.',
} as const;
const notOnWhatsapp = {
  ...recipient,
  sentence: 'WhatsApp cannot deliver to this number: it may have no WhatsApp.',
} as const;
const whatsappTooFast = {
  outcome: 'retry',
  afterMs: minuteMs,
  sentence: 'WhatsApp wants fewer messages from this sender.',
} as const;
const whatsappFault = {
  outcome: 'retry',
  afterMs: minuteMs,
  sentence: 'WhatsApp had a fault.',
} as const;
const badTemplate = {
  ...content,
  sentence: 'The template is unknown, or its parameters are not the ones that were approved.',
} as const;
const templateStopped = {
  ...integration,
  sparesIntegration: 'always',
  sentence: 'WhatsApp rejected, paused or disabled the template: see it in Twilio’s console.',
} as const;
const whatsappSender = {
  ...integration,
  sparesIntegration: 'with_own_sender',
  sentence: 'The sender is not set up for WhatsApp with Twilio.',
} as const;

/** What each code of Twilio means, in an answer as in a receipt; the codes of one family share a sentence. */
export const twilioCodes: Readonly<Record<number, TwilioCode>> = {
  20003: {
    ...integration,
    sentence: 'Twilio does not take the credentials: store the current ones.',
  },
  20005: accountClosed,
  30002: accountClosed,
  20404: { ...integration, sentence: 'Twilio knows no such account or messaging service.' },
  20429: tooFast,
  14107: tooFast,
  20500: twilioFault,
  20503: twilioFault,
  21211: badNumber,
  21217: badNumber,
  21265: badNumber,
  21614: {
    ...recipient,
    suppress: dead,
    sentence: 'The number takes no messages: it may be a landline.',
  },
  // A malformed recipient is answered by the same code, so it says nothing certain about the integration.
  21212: { ...wrongSender, sparesIntegration: 'always' },
  21603: wrongSender,
  21606: wrongSender,
  21659: wrongSender,
  21660: wrongSender,
  21703: wrongSender,
  21704: wrongSender,
  21705: wrongSender,
  21266: toItself,
  63031: toItself,
  21408: noRoute,
  21612: { ...recipient, sentence: 'This sender cannot reach this recipient: try another sender.' },
  21608: {
    ...integration,
    sparesIntegration: 'always',
    sentence: 'A trial account sends to verified numbers only: verify it, or upgrade the account.',
  },
  21610: {
    ...recipient,
    suppress: optedOut,
    sentence: 'The person sent STOP to this sender; only the text START from them lifts it.',
  },
  21611: queueFull,
  30001: queueFull,
  30022: queueFull,
  21602: { ...content, sentence: 'The message has no text.' },
  21619: { ...content, sentence: 'The message has no text.' },
  21617: tooLong,
  21605: tooLong,
  21620: badMedia,
  21623: badMedia,
  21609: { ...integration, sentence: 'Twilio refuses the URL for receipts: check PUBLIC_URL.' },
  30003: {
    outcome: 'retry',
    afterMs: 10 * minuteMs,
    maxAttempts: 2,
    blames: 'recipient',
    sentence: 'The phone is off or out of reach.',
  },
  30004: {
    ...recipient,
    suppress: blocked,
    sentence: 'The message is blocked on its way to this person.',
  },
  30005: {
    ...recipient,
    suppress: dead,
    sentence: 'The number does not exist, or exists no more.',
  },
  30006: {
    ...recipient,
    suppress: dead,
    sentence: 'The number is a landline, or its network takes no SMS.',
  },
  30007: filtered,
  30450: filtered,
  30453: filtered,
  30008: lostOnTheWay,
  30410: lostOnTheWay,
  30010: {
    ...integration,
    sparesIntegration: 'always',
    sentence: 'The message costs more than the highest price that is allowed.',
  },
  30023: { ...integration, sentence: 'The sender used up its messages of the day.' },
  30032: unregistered,
  30034: unregistered,
  30035: unregistered,
  30036: { ...content, sentence: 'The validity period ended before the message could be sent.' },
  63001: whatsappSender,
  63007: whatsappSender,
  63003: notOnWhatsapp,
  63024: notOnWhatsapp,
  63010: whatsappFault,
  63012: whatsappFault,
  63021: whatsappFault,
  63013: { ...content, sentence: 'The message breaks a policy of WhatsApp.' },
  92007: { ...content, sentence: 'The message breaks a policy of WhatsApp.' },
  63014: {
    ...recipient,
    suppress: optedOut,
    sentence: 'The person blocked this sender, or stopped its messages.',
  },
  63015: { ...recipient, sentence: 'The person has not joined the WhatsApp sandbox of Twilio.' },
  63016: {
    ...content,
    sentence:
      'Free text goes only within 24 hours of the person’s last message: use an approved template.',
  },
  63017: whatsappTooFast,
  63018: whatsappTooFast,
  63027: badTemplate,
  63028: badTemplate,
  63040: templateStopped,
  63041: templateStopped,
  63042: templateStopped,
  63049: { ...recipient, sentence: 'Meta holds back marketing to this person for now.' },
};

/** What a refusal means. A code that is not listed is taken by its status: 4xx for the message's fault, 5xx for Twilio's. */
export function classifyTwilioError(
  code: number | undefined,
  { status, headers }: { status: number; headers: IncomingHttpHeaders },
): FailedOutcome {
  const entry = findCode(code);
  if (entry) return toOutcome(String(code), entry, getRetryAfter(headers));
  // A POST that met a fault may have been carried out, a 503 too.
  if (status >= 500) return toOutcome(formatReason(code, status), twilioFault, {});
  const sorted = sortStatus(status, headers);
  if (code === undefined) return sorted;
  return { ...sorted, reason: String(code), detail: getSentence(code) };
}

/** The operator's sentence for a code, listed or not. */
export function getSentence(code: number): string {
  return findCode(code)?.sentence ?? `Twilio reported the error ${code}.`;
}

/** Why a message ended that failed with this code; a code that is not listed blames the content, as in an answer. */
export function getRefusalReason(code: number | undefined): RefusalReason | undefined {
  if (code === undefined) return undefined;
  const entry = findCode(code);
  if (!entry) return 'rejected_content';
  if (entry.outcome === 'rejected') return getSkip(entry).skip ?? `rejected_${entry.scope}`;
  // What a call would try again ended here: on our side, unless the row says that it is the person's phone.
  return `rejected_${entry.blames ?? 'integration'}`;
}

/** A person who opted out is expected: the message is skipped. */
function getSkip({ suppress }: TwilioCode): { skip?: ExpectedEnd } {
  return suppress?.reason === 'opted_out' ? { skip: 'opted_out' } : {};
}

/** What a code says about the address; `sender` is the one that was used. */
export function getContactUpdates(code: number | undefined, sender: string): ContactUpdate[] {
  const suppress = findCode(code)?.suppress;
  if (!suppress) return [];
  return [
    {
      change: 'suppress',
      reason: suppress.reason,
      sender: suppress.for === 'sender' ? sender : '',
      detail: `${code}: ${getSentence(code ?? 0)}`,
    },
  ];
}

/** Whether a refusal of the integration is to fail its message alone. */
export function sparesIntegration(code: number | undefined, isOwnSender: boolean): boolean {
  const entry = findCode(code);
  if (entry?.outcome !== 'rejected' || entry.scope !== 'integration') return false;
  return (
    entry.sparesIntegration === 'always' || (isOwnSender && entry.sparesIntegration !== undefined)
  );
}

function findCode(code: number | undefined): TwilioCode | undefined {
  return code === undefined ? undefined : twilioCodes[code];
}

function toOutcome(reason: string, entry: TwilioCode, wait: { afterMs?: number }): FailedOutcome {
  const explanation = { reason, detail: entry.sentence };
  if (entry.outcome === 'rejected') {
    return { outcome: 'rejected', scope: entry.scope, ...explanation, ...getSkip(entry) };
  }
  if (entry.outcome === 'unknown') return { outcome: 'unknown', ...explanation };
  const { afterMs, maxAttempts, slows } = entry;
  return {
    outcome: 'retry',
    ...explanation,
    ...(afterMs ? { afterMs } : {}),
    ...(maxAttempts ? { maxAttempts } : {}),
    ...(slows ? { slows } : {}),
    ...wait,
  };
}

function getRetryAfter(headers: IncomingHttpHeaders): { afterMs?: number } {
  const afterMs = retryAfterMs(headers, Date.now());
  return afterMs === undefined ? {} : { afterMs };
}

function formatReason(code: number | undefined, status: number): string {
  return code === undefined ? `http_${status}` : String(code);
}

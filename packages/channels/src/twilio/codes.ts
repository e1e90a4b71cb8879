import type { SuppressionSource } from '@belfry/shared';

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
      /** Fails only its message: always, or when the call named the sender. */
      sparesIntegration?: 'always' | 'with_own_sender';
    };

export type TwilioCode = Verdict & {
  /** Shown to the operator. */
  sentence: string;
  /** Suppresses the address for the used sender or for every sender. START undoes the source `reply`. */
  suppress?: {
    reason: 'opted_out' | 'bounced';
    for: 'sender' | 'every sender';
    source?: SuppressionSource;
  };
};

const integration = { outcome: 'rejected', scope: 'integration' } as const;
const recipient = { outcome: 'rejected', scope: 'recipient' } as const;
const content = { outcome: 'rejected', scope: 'content' } as const;
const minuteMs = 60_000;

const optedOut = { reason: 'opted_out', for: 'sender', source: 'reply' } as const;
const blocked = { reason: 'bounced', for: 'sender' } as const;
const dead = { reason: 'bounced', for: 'every sender' } as const;

const accountClosed = {
  ...integration,
  sentence: 'The Twilio account is suspended or closed. Check Twilio’s console.',
} as const;
const wrongSender = {
  ...integration,
  sparesIntegration: 'with_own_sender',
  sentence:
    'Twilio does not allow the account to send from this sender. Check the integration’s sender.',
} as const;
const unregistered = {
  ...integration,
  sparesIntegration: 'with_own_sender',
  sentence: 'The sender is not registered for this traffic. Complete its registration with Twilio.',
} as const;
const badNumber = {
  ...recipient,
  suppress: dead,
  sentence: 'The number is not valid, or cannot get this message.',
} as const;
const tooFast = {
  outcome: 'retry',
  slows: 'integration',
  sentence: 'Twilio asks for fewer calls per second.',
} as const;
const queueFull = {
  outcome: 'retry',
  slows: 'integration',
  afterMs: 5 * minuteMs,
  sentence: 'The sender’s queue at Twilio is full. Add senders, or send fewer messages.',
} as const;
export const twilioFault = {
  outcome: 'unknown',
  sentence: 'Twilio had a fault, and may have sent the message.',
} as const;
const noRoute = {
  ...recipient,
  sentence: 'Twilio does not send to this country. Allow it in the console’s geo permissions.',
} as const;
const toItself = { ...recipient, sentence: 'The recipient is the sender itself.' } as const;
const badMedia = { ...content, sentence: 'Twilio cannot send this media.' } as const;
const tooLong = {
  ...content,
  sentence: 'The text is longer than Twilio’s limit of 1600 characters.',
} as const;
const filtered = {
  ...content,
  sentence: 'The carrier dropped the message as spam or fraud.',
} as const;
const lostOnTheWay = {
  outcome: 'unknown',
  blames: 'recipient',
  sentence: 'The carrier does not report what happened to the message.',
} as const;
const notOnWhatsapp = {
  ...recipient,
  sentence: 'WhatsApp cannot deliver to this number. It may not be on WhatsApp.',
} as const;
const whatsappTooFast = {
  outcome: 'retry',
  afterMs: minuteMs,
  sentence: 'WhatsApp asks for fewer messages from this sender.',
} as const;
const whatsappFault = {
  outcome: 'retry',
  afterMs: minuteMs,
  sentence: 'WhatsApp had a fault.',
} as const;
const badTemplate = {
  ...content,
  sentence: 'The template is unknown, or its parameters do not match the approved ones.',
} as const;
const templateStopped = {
  ...integration,
  sparesIntegration: 'always',
  sentence: 'WhatsApp rejected, paused or disabled the template. Check it in Twilio’s console.',
} as const;
const whatsappSender = {
  ...integration,
  sparesIntegration: 'with_own_sender',
  sentence: 'The sender is not set up for WhatsApp at Twilio.',
} as const;

/** Twilio's error codes, in responses and in receipts. The codes of one family share a sentence. */
export const twilioCodes: Readonly<Record<number, TwilioCode>> = {
  20003: {
    ...integration,
    sentence: 'Twilio rejected the credentials. Store the current ones.',
  },
  20005: accountClosed,
  30002: accountClosed,
  20404: { ...integration, sentence: 'Twilio has no such account or messaging service.' },
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
    sentence: 'The number cannot get messages. It may be a landline.',
  },
  // Twilio uses the same code for a malformed recipient, so it does not certainly blame the
  // integration.
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
  21612: { ...recipient, sentence: 'This sender cannot reach this recipient. Try another sender.' },
  21608: {
    ...integration,
    sparesIntegration: 'always',
    sentence:
      'A trial account sends only to verified numbers. Verify the number, or upgrade the account.',
  },
  21610: {
    ...recipient,
    suppress: optedOut,
    sentence: 'The person sent STOP to this sender. Only the text START from the person lifts it.',
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
  21609: { ...integration, sentence: 'Twilio refuses the URL for receipts. Check PUBLIC_URL.' },
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
    sentence: 'The message to this person is blocked.',
  },
  30005: {
    ...recipient,
    suppress: dead,
    sentence: 'The number does not exist, or no longer exists.',
  },
  30006: {
    ...recipient,
    suppress: dead,
    sentence: 'The number is a landline, or its carrier does not support SMS.',
  },
  30007: filtered,
  30450: filtered,
  30453: filtered,
  30008: lostOnTheWay,
  30410: lostOnTheWay,
  30010: {
    ...integration,
    sparesIntegration: 'always',
    sentence: 'The message costs more than the maximum price.',
  },
  30023: { ...integration, sentence: 'The sender has reached its daily limit.' },
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
  63013: { ...content, sentence: 'The message violates a WhatsApp policy.' },
  92007: { ...content, sentence: 'The message violates a WhatsApp policy.' },
  63014: {
    ...recipient,
    suppress: optedOut,
    sentence: 'The person blocked this sender, or stopped its messages.',
  },
  63015: { ...recipient, sentence: 'The person has not joined the WhatsApp sandbox of Twilio.' },
  63016: {
    ...content,
    sentence:
      'Free text arrives only within 24 hours of the person’s last message: use an approved template.',
  },
  63017: whatsappTooFast,
  63018: whatsappTooFast,
  63027: badTemplate,
  63028: badTemplate,
  63040: templateStopped,
  63041: templateStopped,
  63042: templateStopped,
  63049: { ...recipient, sentence: 'Meta currently limits marketing messages to this person.' },
};

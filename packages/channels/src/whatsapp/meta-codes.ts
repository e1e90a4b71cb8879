import type { ContactUpdate, ExpectedEnd, RefusalReason, RejectionScope } from '@belfry/shared';
import type { FailedOutcome } from '../network-failure';

type Verdict =
  | {
      outcome: 'retry';
      afterMs?: number;
      maxAttempts?: number;
      slows?: 'integration' | 'target';
      /** The side that a report blames; a report cannot be retried. */
      scope: RejectionScope;
    }
  | { outcome: 'rejected'; scope: RejectionScope };

export type MetaCode = Verdict & {
  /** Shown to the operator. */
  sentence: string;
  /** Whether the person opted out of messages from this number. */
  isOptOut?: true;
};

const integration = { outcome: 'rejected', scope: 'integration' } as const;
const recipient = { outcome: 'rejected', scope: 'recipient' } as const;
const content = { outcome: 'rejected', scope: 'content' } as const;
const later = { outcome: 'retry', scope: 'integration' } as const;
const toThisPersonLater = { outcome: 'retry', scope: 'recipient' } as const;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const windowClosed = {
  ...content,
  sentence:
    'The person has not written in the last 24 hours. Only an approved template can reach them now.',
} as const;
const undeliverable = {
  ...toThisPersonLater,
  afterMs: hourMs,
  maxAttempts: 2,
  sentence: 'The number may not be on WhatsApp, or its app is outdated.',
} as const;
const notOnWhatsapp = { ...recipient, sentence: 'The number is not on WhatsApp.' } as const;
const tooFast = {
  ...later,
  slows: 'integration',
  sentence: 'Meta asks for fewer messages per second from this number.',
} as const;
const tooManyCalls = {
  ...later,
  slows: 'integration',
  afterMs: minuteMs,
  sentence: 'The app or the account has made too many calls to Meta.',
} as const;
const metaFault = {
  ...later,
  afterMs: minuteMs,
  sentence: 'Meta had a fault and did not accept the message.',
} as const;
const wrongParameters = {
  ...content,
  sentence: 'The parameters do not match those of the approved template.',
} as const;
/** Blames the content: the integration's other templates still work. */
const templatePaused = {
  ...content,
  sentence: 'Meta paused or disabled the template for its quality. Check the WhatsApp Manager.',
} as const;
const wrongToken = {
  ...integration,
  sentence: 'Meta rejected the access token. Create a new one and store it.',
} as const;
const notPermitted = {
  ...integration,
  sentence: 'The access token lacks a permission, such as whatsapp_business_messaging.',
} as const;
const notRegistered = {
  ...integration,
  sentence: 'The phone number is not registered with the Cloud API.',
} as const;
const locked = {
  ...integration,
  sentence: 'Meta locked or restricted the account. Check the WhatsApp Manager.',
} as const;
const badRequest = {
  ...content,
  sentence: 'Meta refused the request because a value is missing, too long or not allowed.',
} as const;

/**
 * The codes of the Cloud API, in responses and in reports. The codes of one family share a
 * sentence.
 */
export const metaCodes = {
  '0': wrongToken,
  '1': metaFault,
  '2': metaFault,
  '4': tooManyCalls,
  '10': notPermitted,
  '100': badRequest,
  '190': wrongToken,
  '368': locked,
  '470': windowClosed,
  '1006': notOnWhatsapp,
  '1013': notOnWhatsapp,
  '1021': notOnWhatsapp,
  '1026': notOnWhatsapp,
  '80007': tooManyCalls,
  '130429': tooFast,
  '130497': {
    ...integration,
    sentence: 'Meta does not allow the account to send to this country.',
  },
  '131000': metaFault,
  '131005': notPermitted,
  '131008': badRequest,
  '131009': badRequest,
  '131016': metaFault,
  '131021': { ...content, sentence: 'A number cannot send to itself.' },
  '131026': undeliverable,
  '131031': locked,
  '131042': {
    ...integration,
    sentence: 'Meta cannot charge the account. Check its payment settings.',
  },
  '131047': windowClosed,
  '131048': {
    ...later,
    slows: 'integration',
    afterMs: hourMs,
    sentence: 'Meta limits the number because too many people blocked or reported it.',
  },
  '131049': {
    ...recipient,
    sentence: 'Meta currently limits marketing messages to this person.',
  },
  '131050': {
    ...recipient,
    isOptOut: true,
    sentence: 'The person stopped the marketing messages of this number.',
  },
  '131051': { ...content, sentence: 'The number cannot get this type of message.' },
  '131056': {
    ...toThisPersonLater,
    slows: 'target',
    afterMs: 6_000,
    sentence: 'Too many messages were sent to this person in a short time.',
  },
  '131057': {
    ...later,
    afterMs: minuteMs,
    sentence: 'Meta is performing maintenance on the account, which takes about a minute.',
  },
  '132000': wrongParameters,
  '132001': {
    ...content,
    sentence: 'There is no approved template with this name in this language.',
  },
  '132005': {
    ...content,
    sentence: 'The template is too long with these parameters. The limit is 1024 characters.',
  },
  '132007': { ...content, sentence: 'The template violates a WhatsApp policy.' },
  '132012': wrongParameters,
  '132015': templatePaused,
  '132016': templatePaused,
  '133004': metaFault,
  '133010': notRegistered,
} as const satisfies Record<string, MetaCode>;

/** The codes from 200 to 299 are all about permissions. */
const permissionCode = /^2\d\d$/;

/** The row of a code; undefined when the table has none, so the status decides. */
export function findMetaCode(code: string): MetaCode | undefined {
  const listed: Record<string, MetaCode> = metaCodes;
  if (Object.hasOwn(listed, code)) return listed[code];
  return permissionCode.test(code) ? notPermitted : undefined;
}

export function toOutcome(code: string, metaCode: MetaCode): FailedOutcome {
  const { sentence, ...rest } = metaCode;
  const explanation = { reason: code, detail: sentence };
  if (rest.outcome === 'rejected') {
    return { outcome: 'rejected', scope: rest.scope, ...explanation, ...getSkip(metaCode) };
  }
  const { afterMs, maxAttempts, slows } = rest;
  return {
    outcome: 'retry',
    ...explanation,
    ...(afterMs === undefined ? {} : { afterMs }),
    ...(maxAttempts === undefined ? {} : { maxAttempts }),
    ...(slows === undefined ? {} : { slows }),
    ...(rest.scope === 'integration' ? {} : { sparesIntegration: true }),
  };
}

/** Why a message failed, when a report has this code. */
export function getRefusalReason(metaCode: MetaCode): RefusalReason {
  return getSkip(metaCode).skip ?? `rejected_${metaCode.scope}`;
}

/** An opt-out is expected, so the message is skipped. */
function getSkip({ isOptOut }: MetaCode): { skip?: ExpectedEnd } {
  return isOptOut ? { skip: 'opted_out' } : {};
}

/** An opt-out applies to one number; others of the account may still send. */
export function getContactUpdates(metaCode: MetaCode | undefined, sender: string): ContactUpdate[] {
  if (!metaCode?.isOptOut) return [];
  const { sentence: detail } = metaCode;
  return [{ change: 'suppress', reason: 'opted_out', source: 'reply', sender, detail }];
}

import { setTimeout as wait } from 'node:timers/promises';
import type { Outcome } from '@belfry/shared';
import type { AnyChannel, ProviderRequest, SendResult } from './channel';
import { getDefaultProvider } from './default-provider';

/**
 * A provider for every channel that sends nothing, and records the request that would have been
 * sent.
 */
export const sandboxProvider = 'sandbox';

/** The request that one attempt would have sent. */
export type CaptureRecord = {
  appId: string;
  messageId: string;
  attempt: number;
  channel: string;
  /** The provider of the request; never the sandbox itself. */
  provider: string;
  target: string;
  content: unknown;
  request: ProviderRequest;
  outcome: Outcome;
};

export type SandboxCall = {
  appId: string;
  messageId: string;
  /** Counted from 1. */
  attempt: number;
  channel: string;
  target: string;
  content: unknown;
  /**
   * The integration that would have been used, if the version names one; no credential is needed.
   */
  integration?: { provider: string; settings: Record<string, unknown> };
  payload?: Record<string, unknown>;
  /** Stored instead of the content, when the content must not be stored. */
  hiddenAs?: string;
  signal: AbortSignal;
};

export type SandboxSender = { send(call: SandboxCall): Promise<SendResult> };

export type SandboxDeps = {
  channels: Record<string, AnyChannel>;
  /** Stores the record. The outcome is returned only after that. */
  capture(record: CaptureRecord): Promise<void>;
  /** Waits; rejects when the signal fires first. */
  pause?(delayMs: number, signal: AbortSignal): Promise<void>;
};

/**
 * Replaces every provider: describes the real request, records it, and does what a magic recipient
 * selects.
 */
export function createSandboxSender({
  channels,
  capture,
  pause = pauseFor,
}: SandboxDeps): SandboxSender {
  return {
    async send(call) {
      const channel = channels[call.channel];
      if (!channel) throw new Error(`Unknown channel ${call.channel}`);
      const { provider, request } = describeAs(channel, call);
      const { appId, messageId, attempt, target, content } = call;
      const outcome = await settle(channel.findMagicWord(target), call, pause);
      await capture({
        appId,
        messageId,
        attempt,
        channel: call.channel,
        provider,
        target,
        content: call.hiddenAs ?? content,
        request: call.hiddenAs === undefined ? request : { ...request, body: call.hiddenAs },
        outcome,
      });
      return { outcome, response: { sandbox: true } };
    },
  };
}

export type MagicBehaviour = {
  /** Describes the behaviour in the docs and on the sandbox page. */
  sentence: string;
  delayMs?: number;
  /** Treats the message as delivered, as a receipt would. */
  isDelivered?: true;
  /** The outcome of an attempt, counted from 1; undefined means accepted. */
  refuse?(attempt: number): Exclude<Outcome, { outcome: 'accepted' }> | undefined;
};

const throttleMs = 5_000;
const slowMs = 5_000;
const retriesBeforeSuccess = 2;

/** The behaviours that magic recipients select, on every channel. */
export const magicBehaviours = {
  ok: { sentence: 'is accepted, like any other address' },
  delivered: { sentence: 'is accepted and delivered', isDelivered: true },
  bounce: {
    sentence: 'is refused: the recipient does not exist',
    refuse: () => refusal('recipient', 'The sandbox refuses this recipient.'),
  },
  content: {
    sentence: 'is refused for its content',
    refuse: () => refusal('content', 'The sandbox refuses this content.'),
  },
  credentials: {
    sentence: 'is refused for its credentials, without affecting the integration',
    refuse: () => ({
      ...refusal('integration', 'The sandbox refuses these credentials.'),
      sparesIntegration: true,
    }),
  },
  retry: {
    sentence: `is retried ${retriesBeforeSuccess} times, then accepted`,
    refuse: (attempt) =>
      attempt > retriesBeforeSuccess
        ? undefined
        : { outcome: 'retry', reason: 'sandbox', detail: 'The sandbox asks for a retry.' },
  },
  throttle: {
    sentence: `is throttled once for ${throttleMs / 1000} seconds, then accepted`,
    refuse: (attempt) =>
      attempt > 1
        ? undefined
        : {
            outcome: 'retry',
            reason: 'sandbox',
            detail: 'The sandbox asks for a delay.',
            afterMs: throttleMs,
          },
  },
  timeout: {
    sentence: 'gets no response, so it is unknown whether the message was sent',
    refuse: () => ({
      outcome: 'unknown',
      reason: 'sandbox',
      detail: 'The sandbox does not respond.',
    }),
  },
  slow: { sentence: `is accepted after ${slowMs / 1000} seconds`, delayMs: slowMs },
} as const satisfies Record<string, MagicBehaviour>;

function refusal(scope: 'recipient' | 'content' | 'integration', detail: string) {
  return { outcome: 'rejected', scope, reason: 'sandbox', detail } as const;
}

/** The request of the named provider, or else of the default one. */
function describeAs(
  channel: AnyChannel,
  { messageId, target, content, integration, payload }: SandboxCall,
): { provider: string; request: ProviderRequest } {
  const { providers } = channel;
  const hasProvider = integration && Object.hasOwn(providers, integration.provider);
  const provider = hasProvider ? integration.provider : getDefaultProvider(channel, target);
  const settings = hasProvider ? integration.settings : {};
  const described = providers[provider]?.describe({
    messageId,
    target,
    content,
    settings,
    ...(payload ? { payload } : {}),
  });
  return { provider, request: described ?? { operation: 'none', body: content } };
}

async function settle(
  word: string | undefined,
  { attempt, messageId, signal }: SandboxCall,
  pause: NonNullable<SandboxDeps['pause']>,
): Promise<Outcome> {
  const behaviour = findBehaviour(word);
  try {
    if (behaviour.delayMs) await pause(behaviour.delayMs, signal);
  } catch {
    return { outcome: 'unknown', reason: 'timeout', detail: 'The deadline passed.' };
  }
  const accepted: Outcome = {
    outcome: 'accepted',
    providerMessageId: `sandbox-${messageId}`,
    ...(behaviour.isDelivered ? { isDelivered: true } : {}),
  };
  return behaviour.refuse?.(attempt) ?? accepted;
}

function findBehaviour(word: string | undefined): MagicBehaviour {
  const behaviours: Record<string, MagicBehaviour> = magicBehaviours;
  const isKnown = word !== undefined && Object.hasOwn(behaviours, word);
  return (isKnown && behaviours[word]) || magicBehaviours.ok;
}

async function pauseFor(delayMs: number, signal: AbortSignal): Promise<void> {
  await wait(delayMs, undefined, { signal });
}

import { setTimeout as wait } from 'node:timers/promises';
import type { Outcome } from '@belfry/shared';
import type { AnyChannel, ProviderRequest, SendResult } from './channel';

/** The provider of every channel that sends nothing, and keeps what would have been sent. */
export const sandboxProvider = 'sandbox';

/** What one attempt would have sent. */
export type CaptureRecord = {
  appId: string;
  messageId: string;
  attempt: number;
  channel: string;
  /** The provider whose request it is; never the sandbox itself. */
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
  /** The integration that would have been used, where the version names one; no credential is needed. */
  integration?: { provider: string; settings: Record<string, unknown> };
  payload?: Record<string, unknown>;
  /** What is kept in place of the content, where that may not be. */
  hiddenAs?: string;
  signal: AbortSignal;
};

export type SandboxSender = { send(call: SandboxCall): Promise<SendResult> };

export type SandboxDeps = {
  channels: Record<string, AnyChannel>;
  /** Stores the record; the outcome is given only after it is stored. */
  capture(record: CaptureRecord): Promise<void>;
  /** Waits, and rejects when the signal fires before. */
  pause?(delayMs: number, signal: AbortSignal): Promise<void>;
};

/** Stands in for every provider: describes the real one's request, has it stored, and does what a magic recipient asks. */
export function createSandboxSender({
  channels,
  capture,
  pause = pauseFor,
}: SandboxDeps): SandboxSender {
  return {
    async send(call) {
      const channel = channels[call.channel];
      if (!channel) throw new Error(`There is no channel ${call.channel}`);
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
  /** What it does, for the docs and the sandbox's page. */
  sentence: string;
  delayMs?: number;
  /** As if a receipt had said that it arrived. */
  isDelivered?: true;
  /** What becomes of an attempt, counted from 1; nothing means that it is accepted. */
  refuse?(attempt: number): Exclude<Outcome, { outcome: 'accepted' }> | undefined;
};

const throttleMs = 5_000;
const slowMs = 5_000;
const retriesBeforeSuccess = 2;

/** What the words of magic recipients do, on every channel. */
export const magicBehaviours = {
  ok: { sentence: 'is accepted, as any other address is' },
  delivered: { sentence: 'is accepted, and arrives', isDelivered: true },
  bounce: {
    sentence: 'is refused: there is no such recipient',
    refuse: () => refusal('recipient', 'The sandbox refuses this recipient.'),
  },
  content: {
    sentence: 'is refused for its content',
    refuse: () => refusal('content', 'The sandbox refuses this content.'),
  },
  credentials: {
    sentence: 'is refused for its credentials, and leaves the integration as it is',
    refuse: () => ({
      ...refusal('integration', 'The sandbox refuses these credentials.'),
      ownToken: true,
    }),
  },
  retry: {
    sentence: `is put off ${retriesBeforeSuccess} times, then accepted`,
    refuse: (attempt) =>
      attempt > retriesBeforeSuccess
        ? undefined
        : { outcome: 'retry', reason: 'sandbox', detail: 'The sandbox puts it off.' },
  },
  throttle: {
    sentence: `is told once to come back in ${throttleMs / 1000} seconds, then accepted`,
    refuse: (attempt) =>
      attempt > 1
        ? undefined
        : {
            outcome: 'retry',
            reason: 'sandbox',
            detail: 'The sandbox asks for a wait.',
            afterMs: throttleMs,
          },
  },
  timeout: {
    sentence: 'gets no answer, so that nobody can know whether it was sent',
    refuse: () => ({
      outcome: 'unknown',
      reason: 'sandbox',
      detail: 'The sandbox does not answer.',
    }),
  },
  slow: { sentence: `is accepted after ${slowMs / 1000} seconds`, delayMs: slowMs },
} as const satisfies Record<string, MagicBehaviour>;

function refusal(scope: 'recipient' | 'content' | 'integration', detail: string) {
  return { outcome: 'rejected', scope, reason: 'sandbox', detail } as const;
}

/** The request as the named provider would make it, else the channel's first. */
function describeAs(
  { providers }: AnyChannel,
  { messageId, target, content, integration, payload }: SandboxCall,
): { provider: string; request: ProviderRequest } {
  const hasProvider = integration && Object.hasOwn(providers, integration.provider);
  const [first] = Object.keys(providers);
  const provider = hasProvider ? integration.provider : (first ?? sandboxProvider);
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
    return { outcome: 'unknown', reason: 'timeout', detail: 'The deadline came first.' };
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

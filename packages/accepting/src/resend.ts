import type { Actor, NewGeneration, ResendableRow, VersionRow } from '@belfry/database';
import { messageStates } from '@belfry/shared';

export type ResendDeps = {
  /** Of the app only. */
  findResendable(appId: string, messageId: string): Promise<ResendableRow | undefined>;
  findVersionOfRequest(requestId: string): Promise<VersionRow | undefined>;
  writeGeneration(
    actor: Actor,
    generation: NewGeneration,
  ): Promise<{ id: string; requestId: string; generation: number } | undefined>;
};

export type ResendInput = {
  app: { id: string; delivery: 'sandbox' | 'live' };
  messageId: string;
  /** The operator read the warning. */
  isConfirmed: boolean;
};

export type Resent =
  | { state: 'resent'; messageId: string; requestId: string; generation: number }
  | { state: 'not_found' }
  | { state: 'refused'; because: string }
  | { state: 'needs_confirmation'; warning: string };

export type Resend = (actor: Actor, input: ResendInput) => Promise<Resent>;

/** Sends one message again: a new one of the same request and item, by the version that was pinned. The relay queues it. */
export function createResend(deps: ResendDeps): Resend {
  return async function resend(actor, { app, messageId, isConfirmed }) {
    const message = await deps.findResendable(app.id, messageId);
    if (!message) return { state: 'not_found' };
    const version = await deps.findVersionOfRequest(message.requestId);
    const channel = version?.definition.channels[message.channel];
    if (!version || !channel) throw new Error('A message without its version');
    const because = findResendObstacle({ ...message, isSensitive: version.definition.isSensitive });
    if (because) return { state: 'refused', because };
    const warning = findResendWarning(message.state);
    if (warning && !isConfirmed) return { state: 'needs_confirmation', warning };
    const delivery = version.definition.delivery ?? app.delivery;
    const written = await deps.writeGeneration(actor, {
      messageId,
      appId: app.id,
      // The sandbox asks no integration for permission.
      integrationId: delivery === 'live' ? channel.integrationIds[0] : undefined,
      timeToLiveMs: channel.policy.timeToLiveMs,
    });
    if (!written) return { state: 'refused', because: resentAlready };
    const { id, requestId, generation } = written;
    return { state: 'resent', messageId: id, requestId, generation };
  };
}

export type ResendFacts = { state: string; isNewest: boolean; isSensitive: boolean };

const resentAlready = 'It was resent already: resend the newest one.';

/** Why a message may not be sent again; undefined where it may. */
export function findResendObstacle({
  state,
  isNewest,
  isSensitive,
}: ResendFacts): string | undefined {
  if (isSensitive) {
    return 'The event is sensitive: what it said is not kept, so it cannot be sent again.';
  }
  if (!isNewest) return resentAlready;
  const known: Record<string, { isFinal: boolean }> = messageStates;
  return known[state]?.isFinal || state === 'unknown' ? undefined : 'It has not ended yet.';
}

/** What an operator must know before a message is sent again, by the state that it has. */
export function findResendWarning(state: string): string | undefined {
  return warnings[state];
}

const warnings: Record<string, string> = {
  delivered: 'It arrived: the person will get it twice.',
  read: 'It was read: the person will get it twice.',
  sent: 'The provider took it: the person may get it twice.',
  unknown: 'It may have been sent: the person may get it twice.',
};

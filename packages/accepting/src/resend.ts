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
    if (!version) throw new Error('A message without its version');
    const refused = refuse(
      { ...message, isSensitive: version.definition.isSensitive },
      isConfirmed,
    );
    if (refused) return refused;
    const written = await deps.writeGeneration(actor, generationOf(message, app, version));
    if (!written) return { state: 'refused', because: resentAlready };
    const { id, ...rest } = written;
    return { state: 'resent', messageId: id, ...rest };
  };
}

function refuse(facts: ResendFacts, isConfirmed: boolean): Resent | undefined {
  const because = findResendObstacle(facts);
  if (because) return { state: 'refused', because };
  const warning = findResendWarning(facts.state);
  return warning && !isConfirmed ? { state: 'needs_confirmation', warning } : undefined;
}

function generationOf(
  { id, channel }: ResendableRow,
  app: ResendInput['app'],
  { definition }: VersionRow,
): NewGeneration {
  const version = definition.channels[channel];
  if (!version) throw new Error('A message of a channel that its version does not have');
  const delivery = definition.delivery ?? app.delivery;
  return {
    messageId: id,
    appId: app.id,
    // The sandbox asks no integration for permission.
    integrationId: delivery === 'live' ? version.integrationIds[0] : undefined,
    timeToLiveMs: version.policy.timeToLiveMs,
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

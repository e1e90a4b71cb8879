import type { Actor, VersionRow } from '@belfry/database';
import { resendableStates, resendSkips } from '@belfry/shared';
import type { ResendableRow } from './message-changes.sql';
import { listIntegrationIds, planGeneration } from './plan-generation';
import type { NewGeneration, WrittenGeneration } from './write-generations.sql';

export type ResendDeps = {
  /** Finds a message of the app. */
  findResendable(appId: string, messageId: string): Promise<ResendableRow | undefined>;
  findVersionOfRequest(requestId: string): Promise<VersionRow | undefined>;
  /** Returns the ids of integrations that were not removed. */
  listUsableIntegrations(ids: string[]): Promise<Set<string>>;
  writeGeneration(
    actor: Actor,
    input: { appId: string; generation: NewGeneration },
  ): Promise<WrittenGeneration | undefined>;
  newId: () => string;
};

export type ResendInput = {
  app: { id: string; delivery: 'sandbox' | 'live' };
  messageId: string;
  /** The operator confirmed the warning. */
  isConfirmed: boolean;
};

export type ResendResult =
  | { state: 'resent'; messageId: string; requestId: string; generation: number }
  | { state: 'not_found' }
  | { state: 'refused'; because: string }
  | { state: 'needs_confirmation'; warning: string };

export type Resend = (actor: Actor, input: ResendInput) => Promise<ResendResult>;

/** Resends one message: creates a new message of the same request and item with the pinned version. The relay enqueues it. */
export function createResend(deps: ResendDeps): Resend {
  return async function resend(actor, { app, messageId, isConfirmed }) {
    const message = await deps.findResendable(app.id, messageId);
    if (!message) return { state: 'not_found' };
    const version = await deps.findVersionOfRequest(message.requestId);
    if (!version) throw new Error('The version of the message was not found');
    const refusal = findRefusal(
      { ...message, isSensitive: version.definition.isSensitive },
      isConfirmed,
    );
    if (refusal) return refusal;
    const usable = await deps.listUsableIntegrations(listIntegrationIds(version.definition));
    const planned = planGeneration({ ...message, ...version, ...app, usable });
    if (!planned) return { state: 'refused', because: resendSkips.no_integration };
    const generation = { id: deps.newId(), messageId, state: message.state, ...planned };
    const newMessage = await deps.writeGeneration(actor, { appId: app.id, generation });
    if (!newMessage) return { state: 'refused', because: resentAlready };
    const { id, requestId, generation: number } = newMessage;
    return { state: 'resent', messageId: id, requestId, generation: number };
  };
}

function findRefusal(facts: ResendFacts, isConfirmed: boolean): ResendResult | undefined {
  const because = findResendObstacle(facts);
  if (because) return { state: 'refused', because };
  const warning = findResendWarning(facts.state);
  return warning && !isConfirmed ? { state: 'needs_confirmation', warning } : undefined;
}

export type ResendFacts = {
  state: string;
  isNewest: boolean;
  isSensitive: boolean;
  isErased: boolean;
};

const resentAlready = 'This message was already resent. Resend the newest message instead.';

/** Why a message may not be resent; undefined if it may. */
export function findResendObstacle({
  state,
  isNewest,
  isSensitive,
  isErased,
}: ResendFacts): string | undefined {
  if (isSensitive) {
    return 'The event is sensitive: its content is not stored, so the message cannot be resent.';
  }
  if (isErased) return resendSkips.erased;
  if (!isNewest) return resentAlready;
  return resendableStates.includes(state) ? undefined : 'The message has no final state yet.';
}

/** The warning that an operator must confirm before a resend, by the message's state. */
export function findResendWarning(state: string): string | undefined {
  return warnings[state];
}

const warnings: Record<string, string> = {
  delivered: 'This message was delivered: the recipient will get it twice.',
  read: 'This message was read: the recipient will get it twice.',
  sent: 'The provider accepted this message: the recipient may get it twice.',
  unknown: 'This message may have been sent: the recipient may get it twice.',
};

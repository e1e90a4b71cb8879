import type { Actor, VersionRow } from '@belfry/database';
import { resendableStates, resendSkips } from '@belfry/shared';
import type { ResendableRow } from './message-changes.sql';
import { listIntegrationIds, planGeneration } from './plan-generation';
import type { NewGeneration, WrittenGeneration } from './write-generations.sql';

export type ResendDeps = {
  /** Of the app only. */
  findResendable(appId: string, messageId: string): Promise<ResendableRow | undefined>;
  findVersionOfRequest(requestId: string): Promise<VersionRow | undefined>;
  /** Those of them that were not removed. */
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
  /** The operator read the warning. */
  isConfirmed: boolean;
};

export type ResendResult =
  | { state: 'resent'; messageId: string; requestId: string; generation: number }
  | { state: 'not_found' }
  | { state: 'refused'; because: string }
  | { state: 'needs_confirmation'; warning: string };

export type Resend = (actor: Actor, input: ResendInput) => Promise<ResendResult>;

/** Sends one message again: a new one of the same request and item, by the version that was pinned. The relay queues it. */
export function createResend(deps: ResendDeps): Resend {
  return async function resend(actor, { app, messageId, isConfirmed }) {
    const message = await deps.findResendable(app.id, messageId);
    if (!message) return { state: 'not_found' };
    const version = await deps.findVersionOfRequest(message.requestId);
    if (!version) throw new Error('A message without its version');
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

const resentAlready = 'It was resent already: resend the newest one.';

/** Why a message may not be sent again; undefined where it may. */
export function findResendObstacle({
  state,
  isNewest,
  isSensitive,
  isErased,
}: ResendFacts): string | undefined {
  if (isSensitive) {
    return 'The event is sensitive: what it said is not kept, so it cannot be sent again.';
  }
  if (isErased) return resendSkips.erased;
  if (!isNewest) return resentAlready;
  return resendableStates.includes(state) ? undefined : 'It has not ended yet.';
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

import type { AccountAppRow } from '@belfry/database';
import { type DryRun, type DryRunMessage, explainSuppression } from '@belfry/pipeline/operate';
import type { Json, ReadSend, VersionDefinition } from '@belfry/shared';
import type * as wire from '../api/test-send';
import { explainReason } from './explain';
import { showTarget } from './show-target';

export type DraftDryRunDeps = {
  /** The dry run of the gateway, with this definition instead of the live version. */
  createDryRun(version: { eventId: string; definition: VersionDefinition }): DryRun;
  readSend: ReadSend;
};

export type DraftDryRunInput = {
  app: AccountAppRow & { accountId: string };
  eventId: string;
  /** Only the channels to test, without problems. */
  definition: VersionDefinition;
  delivery: 'sandbox' | 'live';
  /** A body of `events/send` for the event, without nulls. */
  body: Json;
};

export type DraftDryRun = (input: DraftDryRunInput) => Promise<wire.DryRunAnswer>;

/** Shows what a test send of a draft would do, and why. */
export function createDraftDryRun({ createDryRun, readSend }: DraftDryRunDeps): DraftDryRun {
  return async function runDraft({ app, eventId, definition, delivery, body }) {
    const { eventName, item } = readSend(body);
    const { id, accountId, defaultRegion } = app;
    const dryRun = createDryRun({ eventId, definition });
    const place = { id, accountId, delivery, defaultRegion };
    const { messages } = await dryRun({ app: place, eventName, item });
    return { delivery, messages: messages.map(toWire) };
  };
}

function toWire(message: DryRunMessage): wire.DryRunMessage {
  const { channel, reason = null, target, integration, provider, warnings } = message;
  return {
    channel,
    would: message.wouldWait ? 'wait' : message.would,
    reason,
    ...explainVerdict(message),
    target: target === undefined ? null : showTarget(channel, target),
    integration: integration ?? null,
    provider: provider ?? null,
    dueAt: message.dueAt?.getTime() ?? null,
    request: message.request ?? null,
    warnings,
  };
}

function explainVerdict({
  reason,
  detail,
  suppression,
}: DryRunMessage): Pick<wire.DryRunMessage, 'what' | 'remedy'> {
  if (reason === undefined) return { what: null, remedy: null };
  return suppression ? explainSuppression(suppression) : explainReason(reason, detail ?? null);
}

import type { IntegrationRow, VersionRow } from '@belfry/database';
import type { Awaitable } from '@belfry/runtime';
import type { OptOut, WireItem } from '@belfry/shared';
import type { NewMessage } from '../accept/item-plan';
import type { Candidate, Eligibility, Obstacle } from '../deliver/eligibility.sql';
import type { CurrentSuppression } from '../deliver/suppression.sql';

export type JudgeDeps = {
  findIntegration(id: string): Awaitable<IntegrationRow | undefined>;
  /** See readEligibility. */
  readEligibility(appId: string, candidates: readonly Candidate[]): Promise<Eligibility[]>;
};

export type JudgedMessage = {
  app: { id: string };
  item: WireItem;
  version: Pick<VersionRow, 'definition'>;
  message: NewMessage;
};

export type Judgement = {
  obstacle: Obstacle | null;
  suppression: CurrentSuppression | null;
  optOut: OptOut | null;
  /** The integration that would send the message. */
  integrationId: string | undefined;
  /** Why the message would wait first. */
  waits: string[];
  warnings: string[];
};

/** The verdict of the claims that a message would go through: after a failover, the next integration is judged. */
export function createJudge({ readEligibility, findIntegration }: JudgeDeps) {
  return async function judge(
    { app, item, version, message }: JudgedMessage,
    chain: readonly string[],
  ): Promise<Judgement> {
    const { channel, target, deviceId } = message;
    const sender = findSender(item.override?.[channel]);
    const { kind, category } = version.definition;
    const candidate = {
      ...{ channel, target, deviceId, sender, userId: item.user?.user_id, chain },
      ...{ kind, category, preferences: item.user?.preferences },
    };
    const first = await readOne(app.id, { ...candidate, integrationId: message.integrationId });
    if (first.obstacle !== 'failover') {
      const { integrationId } = message;
      const waits = listWaits(first, await findName(integrationId));
      const { obstacle, suppression, optOut } = first;
      return { obstacle, suppression, optOut, integrationId, waits, warnings: waits };
    }
    const integrationId = first.nextIntegrationId ?? undefined;
    const [name, nextName] = [await findName(message.integrationId), await findName(integrationId)];
    const second = await readOne(app.id, { ...candidate, integrationId });
    const failover = `The integration ${name} needs attention: ${nextName} would take over.`;
    const waits = listWaits(second, nextName);
    const { obstacle, suppression, optOut } = second;
    return {
      ...{ obstacle, suppression, optOut, integrationId },
      ...{ waits, warnings: [failover, ...waits] },
    };
  };

  async function readOne(appId: string, candidate: Candidate): Promise<Eligibility> {
    const [eligibility] = await readEligibility(appId, [candidate]);
    if (!eligibility) throw new Error('A candidate without a verdict');
    return eligibility;
  }

  async function findName(integrationId: string | undefined): Promise<string> {
    const integration = integrationId ? await findIntegration(integrationId) : undefined;
    return integration?.name ?? '';
  }
}

function listWaits({ obstacle, isChannelPaused }: Eligibility, integration: string): string[] {
  if (obstacle === 'needs_attention') {
    return [`The integration ${integration} needs attention: the message would wait.`];
  }
  if (obstacle !== 'paused') return [];
  return [
    isChannelPaused
      ? 'The channel is paused: the message would wait.'
      : `The integration ${integration} is paused: the message would wait.`,
  ];
}

/** The sender that the call names. */
function findSender(override: unknown): string | undefined {
  const members = isRecord(override) ? override : {};
  const message = isRecord(members['message']) ? members['message'] : {};
  const sender = members['sender'] ?? message['sender'];
  return typeof sender === 'string' ? sender : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

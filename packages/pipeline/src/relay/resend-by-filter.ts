import type { VersionRow } from '@belfry/database';
import { listIntegrationIds, planGeneration } from '../operate/plan-generation';
import type {
  DecideResends,
  ResendCandidate,
  ResendChunkApp,
  ResendChunkResult,
  ResendDecision,
} from './resend-by-filter.sql';

export type ResendByFilterDeps = {
  /** Runs one transaction of a run that is due; undefined if none is. */
  carryOutResend(decide: DecideResends): Promise<ResendChunkResult | undefined>;
  findVersion(id: string): Promise<VersionRow | undefined>;
  /** Returns the ids of integrations that were not removed. */
  listUsableIntegrations(ids: string[]): Promise<Set<string>>;
  newId: () => string;
};

/** Resends the next chunk of a run that is due, with the same rules as a single resend. The relay enqueues the messages. */
export function createResendByFilter(
  deps: ResendByFilterDeps,
): () => Promise<ResendChunkResult | undefined> {
  return () => deps.carryOutResend(decide);

  async function decide(
    app: ResendChunkApp,
    candidates: ResendCandidate[],
  ): Promise<ResendDecision[]> {
    const versions = await readVersions(candidates);
    const ids = [...versions.values()].flatMap(({ definition }) => listIntegrationIds(definition));
    const usable = await deps.listUsableIntegrations([...new Set(ids)]);
    return candidates.map((candidate) =>
      decideOne(candidate, {
        app,
        usable,
        version: versions.get(candidate.versionId ?? ''),
        id: deps.newId(),
      }),
    );
  }

  async function readVersions(candidates: ResendCandidate[]): Promise<Map<string, VersionRow>> {
    const ids = new Set(candidates.flatMap(({ versionId }) => versionId ?? []));
    const versions = await Promise.all([...ids].map((id) => deps.findVersion(id)));
    return new Map(
      versions.flatMap((version) => (version ? [[version.id, version] as const] : [])),
    );
  }
}

type Context = {
  app: ResendChunkApp;
  version: VersionRow | undefined;
  usable: ReadonlySet<string>;
  /** The id of the new message. */
  id: string;
};

/** The operator confirmed messages in a certain state, so one whose state changed is skipped. */
function decideOne(candidate: ResendCandidate, context: Context): ResendDecision {
  const { id: messageId, state, stateThen, channel, isErased, isNewest } = candidate;
  const { app, version, usable, id } = context;
  if (state === undefined || channel === undefined || !version) return { messageId, skip: 'gone' };
  if (isErased) return { messageId, skip: 'erased' };
  if (version.definition.isSensitive) return { messageId, skip: 'sensitive' };
  if (!isNewest || state !== stateThen) return { messageId, skip: 'changed' };
  const planned = planGeneration({ channel, ...version, ...app, usable });
  if (!planned) return { messageId, skip: 'no_integration' };
  return { messageId, generation: { id, messageId, state, ...planned } };
}

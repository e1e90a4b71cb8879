import { useEffect, useRef, useState } from 'react';
import type { Definition, EventAnswer, VersionRow } from '../../api/events';
import type { FoundVersionAnswer } from '../../api/versions';
import { useAnswer } from '../answers';
import type { PageProblem } from '../api';
import { useApp, useServices } from '../context';
import type { Draft } from '../editor/use-draft';
import { draftName } from './version-place';

/** The viewed version or draft. */
export type ViewedVersion = {
  id: string;
  /** `v7`, `draft`, or `test v8`. */
  title: string;
  definition: Definition;
  /** Undefined for the draft. */
  row: VersionRow | undefined;
  previousId: string | undefined;
};

/** The version of an id; `draft` is the edited draft, and undefined is none. */
export function useVersion(event: EventAnswer, draft: Draft, id: string | undefined) {
  const app = useApp();
  const isStored = id !== undefined && id !== draftName;
  const answer = useAnswer(
    'GET /api/apps/:appId/events/:eventId/versions/:versionId',
    { appId: app.id, eventId: event.id, versionId: id ?? draftName },
    { isEnabled: isStored },
  );
  return {
    loaded: answer,
    viewedVersion: id === draftName ? toViewedDraft(event, draft) : toViewedVersion(answer.value),
  };
}

function toViewedDraft({ live }: EventAnswer, { definition }: Draft): ViewedVersion {
  return {
    id: draftName,
    title: 'draft',
    definition,
    row: undefined,
    previousId: live?.id,
  };
}

function toViewedVersion(version: FoundVersionAnswer | undefined): ViewedVersion | undefined {
  if (!version) return undefined;
  const { id, definition, previousId } = version;
  return {
    id,
    title: formatTitle(version),
    definition,
    row: version,
    previousId: previousId ?? undefined,
  };
}

export function formatTitle({ kind, number }: Pick<VersionRow, 'kind' | 'number'>): string {
  return kind === 'test' ? `test v${number}` : `v${number}`;
}

/** Published versions, newest first; older ones are loaded on request. */
export function useVersionList(event: EventAnswer) {
  const app = useApp();
  const { api } = useServices();
  const listInput = { appId: app.id, eventId: event.id };
  const first = useAnswer('GET /api/apps/:appId/events/:eventId/versions', listInput);
  useReloadOnPublish(event, first.reload);
  const [older, setOlder] = useState<VersionRow[]>([]);
  const [problem, setProblem] = useState<PageProblem>();
  const [olderNext, setOlderNext] = useState<number | null>();
  const next = olderNext === undefined ? (first.value?.next ?? null) : olderNext;
  async function readOlder() {
    if (next === null) return;
    const answer = await api.call('GET /api/apps/:appId/events/:eventId/versions', {
      ...listInput,
      query: { before: String(next) },
    });
    setProblem('problem' in answer ? answer.problem : undefined);
    if ('problem' in answer) return;
    setOlder([...older, ...answer.value.versions]);
    setOlderNext(answer.value.next);
  }
  const olderIds = new Set(older.map(({ id }) => id));
  const newest = (first.value?.versions ?? []).filter(({ id }) => !olderIds.has(id));
  return { first, versions: [...newest, ...older], hasOlder: next !== null, readOlder, problem };
}

/** Reads the list again when another version goes live. */
function useReloadOnPublish({ live }: EventAnswer, reload: () => Promise<void>) {
  const liveId = live?.id;
  const listedLiveId = useRef(liveId);
  useEffect(() => {
    if (listedLiveId.current === liveId) return;
    listedLiveId.current = liveId;
    void reload();
  }, [liveId, reload]);
}

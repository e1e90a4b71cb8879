import { useState } from 'react';
import type { Definition, EventAnswer, FoundVersionAnswer, VersionRow } from '../../api/events';
import { useAnswer, useApp, useTools } from '../context';
import type { Draft } from '../editor/use-draft';
import { draftName } from './version-place';

/** A version, or the draft, as it is looked at. */
export type Shown = {
  id: string;
  /** `v7`, `draft`, or `test v8`. */
  title: string;
  definition: Definition;
  /** Undefined of the draft. */
  row: VersionRow | undefined;
  previousId: string | undefined;
};

/** The version of an id; `draft` is what is edited, and undefined is none. */
export function useVersion(event: EventAnswer, draft: Draft, id: string | undefined) {
  const app = useApp();
  const isStored = id !== undefined && id !== draftName;
  const found = useAnswer<FoundVersionAnswer | undefined>(
    `version ${app.id} ${event.id} ${isStored ? id : 'none'}`,
    async (api) => (isStored ? api.readVersion(app.id, event.id, id) : { value: undefined }),
  );
  return { found, shown: id === draftName ? shownDraft(event, draft) : shownVersion(found.value) };
}

function shownDraft({ live }: EventAnswer, { definition }: Draft): Shown {
  return {
    id: draftName,
    title: 'draft',
    definition,
    row: undefined,
    previousId: live?.id,
  };
}

function shownVersion(version: FoundVersionAnswer | undefined): Shown | undefined {
  if (!version) return undefined;
  const { id, definition, previousId } = version;
  return {
    id,
    title: titleOf(version),
    definition,
    row: version,
    previousId: previousId ?? undefined,
  };
}

export function titleOf({ kind, number }: Pick<VersionRow, 'kind' | 'number'>): string {
  return kind === 'test' ? `test v${number}` : `v${number}`;
}

/** What was published, newest first; older ones are read when they are asked for. */
export function useVersionList(event: EventAnswer) {
  const app = useApp();
  const { api } = useTools();
  const first = useAnswer(`versions ${event.id} ${event.live?.id ?? 'none'}`, (ask) =>
    ask.listVersions(app.id, event.id),
  );
  const [older, setOlder] = useState<VersionRow[]>([]);
  const [olderNext, setOlderNext] = useState<number | null>();
  const next = olderNext === undefined ? (first.value?.next ?? null) : olderNext;
  async function readOlder() {
    if (next === null) return;
    const answer = await api.listVersions(app.id, event.id, next);
    if ('problem' in answer) return;
    setOlder([...older, ...answer.value.versions]);
    setOlderNext(answer.value.next);
  }
  const known = new Set(older.map(({ id }) => id));
  const newest = (first.value?.versions ?? []).filter(({ id }) => !known.has(id));
  return { first, versions: [...newest, ...older], hasOlder: next !== null, readOlder };
}

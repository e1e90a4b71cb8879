import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { CheckDraftAnswer, Definition, DraftAnswer, EventAnswer } from '../../api/events';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';

const saveAfterMs = 1_500;
const checkAfterMs = 400;

export type Draft = ReturnType<typeof useDraft>;

/**
 * The edited draft and the saved draft. Saves automatically, but never overwrites another operator's draft without a
 * confirmation.
 */
export function useDraft(event: EventAnswer) {
  const app = useApp();
  const { api } = useServices();
  const { mayChange } = useSession();
  const [definition, setDefinition] = useState(event.draft.definition);
  const [saved, setSaved] = useState<DraftAnswer>(event.draft);
  const [problem, setProblem] = useState<PageProblem>();
  const [isSaving, setSaving] = useState(false);
  const revision = useRef(event.draft.revision);
  const isDirty = definition !== saved.definition;
  const checked = useChecked(event, definition, saved);

  const save = useSave({ event, definition, revision, setSaving, setSaved, setProblem });

  const hasConflict = problem?.code === 'draft_changed';
  useEffect(() => {
    if (!isDirty || isSaving || hasConflict || !mayChange) return;
    const timer = setTimeout(() => void save(), saveAfterMs);
    return () => clearTimeout(timer);
  }, [isDirty, isSaving, hasConflict, mayChange, save]);

  const take = useCallback((draft: DraftAnswer) => {
    revision.current = draft.revision;
    setSaved(draft);
    setDefinition(draft.definition);
    setProblem(undefined);
  }, []);
  // Another operator saved and there are no local changes, so show their draft.
  useEffect(() => {
    if (!isDirty && event.draft.revision > saved.revision) take(event.draft);
  }, [isDirty, event.draft, saved.revision, take]);

  const readEvent = () =>
    api.call('GET /api/apps/:appId/events/:eventId', { appId: app.id, eventId: event.id });

  /** Overwrites their saved draft, which no version keeps. */
  async function overwrite() {
    const answer = await readEvent();
    if ('problem' in answer) return setProblem(answer.problem);
    revision.current = answer.value.draft.revision;
    setSaved(answer.value.draft);
    setProblem(undefined);
  }
  async function takeTheirs() {
    const answer = await readEvent();
    if ('problem' in answer) return setProblem(answer.problem);
    take(answer.value.draft);
  }
  return {
    definition,
    set: setDefinition,
    saved,
    checked,
    problem,
    isDirty,
    isSaving,
    save,
    take,
    overwrite,
    takeTheirs,
  };
}

type SaveOptions = {
  event: EventAnswer;
  definition: Definition;
  revision: RefObject<number>;
  setSaving: (isSaving: boolean) => void;
  setSaved: (draft: DraftAnswer) => void;
  setProblem: (problem: PageProblem | undefined) => void;
};

/** Saves one at a time, each based on the last; concurrent saves would conflict with each other. */
function useSave({ event, definition, revision, setSaving, setSaved, setProblem }: SaveOptions) {
  const app = useApp();
  const { api } = useServices();
  const last = useRef<Promise<unknown>>(Promise.resolve());
  return useCallback((): Promise<DraftAnswer | undefined> => {
    async function store(): Promise<DraftAnswer | undefined> {
      setSaving(true);
      const answer = await api.call('PUT /api/apps/:appId/events/:eventId/draft', {
        appId: app.id,
        eventId: event.id,
        body: { basedOn: revision.current, definition },
      });
      setSaving(false);
      setProblem('problem' in answer ? answer.problem : undefined);
      if ('problem' in answer) return undefined;
      revision.current = answer.value.revision;
      // Keeps the identity of the definition, so that only later input counts as a change.
      const next = { ...answer.value, definition };
      setSaved(next);
      return next;
    }
    const stored = last.current.then(store);
    last.current = stored;
    return stored;
  }, [api, app.id, event.id, definition, revision, setSaving, setSaved, setProblem]);
}

/** Problems and paths of the edited draft. */
function useChecked(event: EventAnswer, definition: Definition, saved: DraftAnswer) {
  const app = useApp();
  const { api } = useServices();
  const [checked, setChecked] = useState<CheckDraftAnswer>(saved);
  const isDirty = definition !== saved.definition;
  useEffect(() => {
    if (!isDirty) return setChecked(saved);
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const answer = await api.call('POST /api/apps/:appId/events/:eventId/check', {
        appId: app.id,
        eventId: event.id,
        body: { definition },
      });
      if (isCurrent && 'value' in answer) setChecked(answer.value);
    }, checkAfterMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [api, app.id, event.id, definition, isDirty, saved]);
  return checked;
}

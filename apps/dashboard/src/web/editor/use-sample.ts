import { useEffect, useState } from 'react';
import type { Definition, EventAnswer } from '../../api/events';
import type { PreviewAnswer, SampleAnswer } from '../../api/preview';
import type { Answer, PageProblem } from '../api';
import { useAnswer, useApp, useTools } from '../context';
import type { Draft } from './use-draft';

export type Sample = ReturnType<typeof useSample>;
export type SampleSource = 'made' | 'request' | 'own';

const renderAfterMs = 400;

/** The data that the preview and the test send are filled with: made up, of the last request, or typed. */
export function useSample(event: EventAnswer, draft: Draft, locale: string) {
  const app = useApp();
  const { definition } = draft;
  const given = useAnswer<SampleAnswer>(`sample ${event.id}`, (ask) =>
    ask.readSample(app.id, event.id),
  );
  const [source, setSource] = useState<SampleSource>('made');
  const [own, setOwn] = useState<Record<string, unknown>>({});
  const last = given.value?.fromRequest ?? undefined;
  const chosen = { made: undefined, own, request: last?.data }[source];
  const user = source === 'request' ? (last?.user ?? undefined) : undefined;

  const { rendered, made, problem } = useRendered({ event, definition, locale, chosen, user });
  const data = chosen ?? made ?? given.value?.made ?? {};
  return {
    data,
    user,
    last,
    source,
    rendered,
    problem,
    setSource,
    setData(next: Record<string, unknown>) {
      setOwn(next);
      setSource('own');
    },
  };
}

type Input = {
  event: EventAnswer;
  definition: Definition;
  locale: string;
  chosen: Record<string, unknown> | undefined;
  user: Record<string, unknown> | undefined;
};

/** What people would get, a moment after the typing stops. */
function useRendered({ event, definition, locale, chosen, user }: Input) {
  const app = useApp();
  const { api } = useTools();
  const [shown, setShown] = useState<PreviewAnswer>();
  const [problem, setProblem] = useState<PageProblem>();
  useEffect(() => {
    let isCurrent = true;
    function show(answer: Answer<PreviewAnswer>) {
      if (!isCurrent) return;
      setProblem('problem' in answer ? answer.problem : undefined);
      if ('value' in answer) setShown(answer.value);
    }
    const given = { ...(chosen ? { data: chosen } : {}), ...(user ? { user } : {}) };
    const body = { definition, locale, ...given };
    const timer = setTimeout(
      () => void api.preview(app.id, event.id, body).then(show),
      renderAfterMs,
    );
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [api, app.id, event.id, definition, locale, chosen, user]);
  return { rendered: shown?.previews ?? [], made: shown?.data, problem };
}

import { useEffect, useState } from 'react';
import type { Definition, EventAnswer } from '../../api/events';
import type { PreviewAnswer, SampleAnswer } from '../../api/preview';
import type { Answer, PageProblem } from '../api';
import { useAnswer, useApp, useServices } from '../context';
import type { Draft } from './use-draft';

export type Sample = ReturnType<typeof useSample>;
export type SampleSource = 'made' | 'request' | 'own';

const renderAfterMs = 400;

/** The data that the preview and the test send are filled with: made up, of the last request, or typed. */
export function useSample(event: EventAnswer, draft: Draft, locale: string) {
  const app = useApp();
  const { definition } = draft;
  const sample = useAnswer<SampleAnswer>(`sample ${event.id}`, (api) =>
    api.readSample(app.id, event.id),
  );
  const [source, setSource] = useState<SampleSource>('made');
  const [own, setOwn] = useState<Record<string, unknown>>({});
  const last = sample.value?.fromRequest ?? undefined;
  const selectedData = { made: undefined, own, request: last?.data }[source];
  const user = source === 'request' ? (last?.user ?? undefined) : undefined;

  const { rendered, generatedData, problem } = usePreview({
    event,
    definition,
    locale,
    selectedData,
    user,
  });
  const data = selectedData ?? generatedData ?? sample.value?.made ?? {};
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
  selectedData: Record<string, unknown> | undefined;
  user: Record<string, unknown> | undefined;
};

/** What people would get, a moment after the typing stops. */
function usePreview({ event, definition, locale, selectedData, user }: Input) {
  const app = useApp();
  const { api } = useServices();
  const [preview, setPreview] = useState<PreviewAnswer>();
  const [problem, setProblem] = useState<PageProblem>();
  useEffect(() => {
    let isCurrent = true;
    function show(answer: Answer<PreviewAnswer>) {
      if (!isCurrent) return;
      setProblem('problem' in answer ? answer.problem : undefined);
      if ('value' in answer) setPreview(answer.value);
    }
    const overrides = {
      ...(selectedData ? { data: selectedData } : {}),
      ...(user ? { user } : {}),
    };
    const body = { definition, locale, ...overrides };
    const timer = setTimeout(
      () => void api.preview(app.id, event.id, body).then(show),
      renderAfterMs,
    );
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [api, app.id, event.id, definition, locale, selectedData, user]);
  return { rendered: preview?.previews ?? [], generatedData: preview?.data, problem };
}

import { useEffect, useState } from 'react';
import type { Definition, EventAnswer } from '../../api/events';
import type { PreviewAnswer } from '../../api/preview';
import { useAnswer } from '../answers';
import type { PageProblem, Result } from '../api';
import { useApp, useServices } from '../context';
import type { Draft } from './use-draft';

export type Sample = ReturnType<typeof useSample>;
export type SampleSource = 'generated' | 'request' | 'own';

const renderAfterMs = 400;

/** Data for the preview and test send: generated, from the last request, or edited. */
export function useSample(event: EventAnswer, draft: Draft, locale: string) {
  const app = useApp();
  const { definition } = draft;
  const sample = useAnswer('GET /api/apps/:appId/events/:eventId/sample', {
    appId: app.id,
    eventId: event.id,
  });
  const [source, setSource] = useState<SampleSource>('generated');
  const [own, setOwn] = useState<Record<string, unknown>>({});
  const last = sample.value?.fromRequest ?? undefined;
  const selectedData = { generated: undefined, own, request: last?.data }[source];
  const user = source === 'request' ? (last?.user ?? undefined) : undefined;

  const { preview, problem } = usePreview({ event, definition, locale, selectedData, user });
  const rendered = preview?.previews ?? [];
  return {
    data: selectedData ?? preview?.data ?? sample.value?.generated ?? {},
    user,
    last,
    source,
    rendered,
    /** A preview has read the templates. */
    isRead: preview !== undefined,
    /** Channels with errors in a template, whose values are unknown. */
    unreadChannels: rendered
      .filter(({ state }) => state === 'refused')
      .map(({ channel }) => channel),
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

/** Updates the preview shortly after the last key press. */
function usePreview({ event, definition, locale, selectedData, user }: Input) {
  const app = useApp();
  const { api } = useServices();
  const [preview, setPreview] = useState<PreviewAnswer>();
  const [problem, setProblem] = useState<PageProblem>();
  useEffect(() => {
    let isCurrent = true;
    function show(answer: Result<PreviewAnswer>) {
      if (!isCurrent) return;
      setProblem('problem' in answer ? answer.problem : undefined);
      if ('value' in answer) setPreview(answer.value);
    }
    const overrides = {
      ...(selectedData ? { data: selectedData } : {}),
      ...(user ? { user } : {}),
    };
    const body = { definition, locale, ...overrides };
    const input = { appId: app.id, eventId: event.id, body };
    const timer = setTimeout(
      () => void api.call('POST /api/apps/:appId/events/:eventId/preview', input).then(show),
      renderAfterMs,
    );
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [api, app.id, event.id, definition, locale, selectedData, user]);
  return { preview, problem };
}

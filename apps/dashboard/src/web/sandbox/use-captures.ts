import { useMemo, useState } from 'react';
import type { CaptureFilters, CaptureSummary } from '../../api/captures';
import { useAnswer } from '../answers';
import type { PageProblem } from '../api';
import { useApp, useServices } from '../context';
import { type RowPage, usePagedRows } from '../parts/use-paged-rows';
import { writeCaptureFilters } from './capture-filters';

const readEveryMs = 2_000;

export type Captures = ReturnType<typeof useCaptures>;

/** Polls the newest captures; loads older ones on request. While it is paused, new ones are pending. */
export function useCaptures(filters: CaptureFilters, isPaused: boolean) {
  const app = useApp();
  const { api } = useServices();
  const route = 'GET /api/apps/:appId/captures';
  const first = useAnswer(route, { appId: app.id, query: filters }, { everyMs: readEveryMs });
  const firstPage = useMemo(() => first.value && toPage(first.value), [first.value]);
  const key = `${app.id} ${writeCaptureFilters(filters)}`;
  const list = usePagedRows(key, firstPage, isPaused);
  const { next } = list;
  const [problem, setProblem] = useState<PageProblem>();

  async function readOlder() {
    if (next === null) return;
    const query = { ...filters, before: next };
    const answer = await api.call(route, { appId: app.id, query });
    setProblem('problem' in answer ? answer.problem : undefined);
    if ('value' in answer) list.addOlder(toPage(answer.value));
  }
  return {
    first,
    visible: list.rows,
    pending: list.pending,
    next,
    problem,
    readOlder,
    forgetOlder: list.forgetOlder,
    showPending: list.showPending,
  };
}

function toPage(answer: { captures: CaptureSummary[]; next: string | null }) {
  return { rows: answer.captures, next: answer.next } satisfies RowPage<CaptureSummary>;
}

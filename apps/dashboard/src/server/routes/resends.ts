import { getSqlState, type WorkerHeartbeat } from '@belfry/database';
import {
  findResendWarning,
  type LogFilter,
  type ResendRunRow,
  type ResendRuns,
  type ResendVerdict,
} from '@belfry/pipeline/operate';
import {
  fanOutQueue,
  getOwn,
  maskTarget,
  maxMessagesPerResend,
  resendPaces,
  resendSkips,
} from '@belfry/shared';
import type { LogFilters } from '../../api/log';
import type {
  Counted,
  LeftOut,
  ResendCountAnswer,
  ResendRun,
  ResendRunAnswer,
} from '../../api/resends';
import { sortByChannel } from '../channel-order';
import { type LogFilterDeps, readLogFilter } from '../log-filter';
import { notFound, Refusal } from '../problem';
import { aliveSeconds } from '../queue-page';
import { type AppCall, type Handlers, readId } from '../route';

export type ResendHandlersDeps = LogFilterDeps & {
  runs: ResendRuns;
  listHeartbeats(): Promise<WorkerHeartbeat[]>;
  now: () => Date;
};

/** Resends by log filter: count, confirm, run in the fanout role, cancel. */
export function createResendHandlers(deps: ResendHandlersDeps) {
  return { ...createResendStartHandlers(deps), ...createResendRunHandlers(deps) };
}

function createResendStartHandlers(deps: ResendHandlersDeps) {
  const { runs } = deps;

  return {
    async 'GET /api/apps/:appId/resends/count'(call) {
      const filters = withEnd(requireFilter(call.query), deps.now());
      return toCountAnswer(filters, await countMatches(deps, call, filters));
    },

    async 'POST /api/apps/:appId/resends'(call) {
      const { app, actor, body } = call;
      const { filters, ...confirmation } = body;
      const boundedFilters = withEnd(requireFilter(filters), deps.now());
      const filter = await readLogFilter(app.id, boundedFilters, deps);
      const run = { appId: app.id, shown: maskFilters(boundedFilters), ...confirmation };
      const started = filter && (await limitTime(runs.start(actor, { ...run, filter })));
      if (!started)
        throw toStartRefusal(
          await runs.hasRunning(app.id),
          toCountAnswer(boundedFilters, await countMatches(deps, call, boundedFilters)),
        );
      return readRun(deps, call, started.id);
    },
  } satisfies Partial<Handlers>;
}

function createResendRunHandlers(deps: ResendHandlersDeps) {
  const { runs } = deps;

  return {
    async 'GET /api/apps/:appId/resends'({ app }) {
      const rows = await runs.list(app.id);
      return { runs: rows.map((row) => toResendRun(row, app)) };
    },

    'GET /api/apps/:appId/resends/:resendId': async (call) =>
      readRun(deps, call, readId(call.path.resendId, 'resend')),

    async 'POST /api/apps/:appId/resends/:resendId/cancel'(call) {
      const id = readId(call.path.resendId, 'resend');
      const cancelled = await runs.cancel(call.actor, { appId: call.app.id, id });
      // The answer contains the number of messages that were not resent.
      const run = await readRun(deps, call, id);
      if (cancelled === undefined) {
        throw new Refusal('wrong_state', 'The run is already finished, so it cannot be cancelled.');
      }
      return run;
    },
  } satisfies Partial<Handlers>;
}

async function countMatches(
  deps: ResendHandlersDeps,
  { app }: AppCall,
  filters: LogFilters,
): Promise<ResendVerdict[]> {
  const filter: LogFilter | undefined = await readLogFilter(app.id, filters, deps);
  return filter ? limitTime(deps.runs.count(filter)) : [];
}

async function readRun(
  { runs, listHeartbeats, now }: ResendHandlersDeps,
  { app }: AppCall,
  id: string,
): Promise<ResendRunAnswer> {
  const row = await runs.find(app.id, id);
  if (!row) throw notFound('resend');
  const [{ outcomes, states, messages }, workers] = await Promise.all([
    runs.readProgress(id),
    listHeartbeats(),
  ]);
  const skips = outcomes.flatMap(({ outcome, messages: count }) =>
    outcome === null || outcome === 'resent' ? [] : toLeftOut(outcome, count),
  );
  const hasNoWorker = row.finishedAt === null && !workers.some(isFanOut);
  const readAt = now().getTime();
  return {
    ...toResendRun(row, app),
    skips,
    states: sortRows(states),
    messages,
    hasNoWorker,
    readAt,
  };
}

function isFanOut({ roles, heartbeatSeconds }: WorkerHeartbeat): boolean {
  return heartbeatSeconds <= aliveSeconds && roles.includes(fanOutQueue);
}

function sortRows<T extends { channel: string }>(rows: readonly T[]): T[] {
  const channels = sortByChannel([...new Set(rows.map(({ channel }) => channel))]);
  return channels.flatMap((channel) => rows.filter((row) => row.channel === channel));
}

/** Refusals: more messages than confirmed, none, or another run is active. */
function toStartRefusal(
  hasRunning: boolean,
  { messages, isOver, max }: ResendCountAnswer,
): Refusal {
  if (hasRunning) {
    const text = 'Another resend of this app is running. Wait until it finishes, or cancel it.';
    return new Refusal('wrong_state', text);
  }
  if (isOver) {
    const text = `More than ${max} messages match. Narrow the filter, for example by time.`;
    return new Refusal('wrong_state', text);
  }
  if (messages === 0) {
    return new Refusal('wrong_state', 'No matching message can be resent.');
  }
  return new Refusal(
    'needs_confirmation',
    `${messages} messages match now, or their states have changed. Check the new count.`,
  );
}

/** Without a filter, every message of the app would match. */
function requireFilter(filters: LogFilters): LogFilters {
  if (Object.keys(filters).length > 0) return filters;
  throw new Refusal(
    'wrong_state',
    'Choose a filter first. Without one, every message would match.',
  );
}

/** Sets an end time, because more messages would match while the operator reads the count. */
function withEnd(filters: LogFilters, now: Date): LogFilters {
  const nextMs = now.getTime() + 1;
  const to = Number(filters.to ?? nextMs);
  return { ...filters, to: Number.isNaN(to) ? (filters.to ?? '') : String(Math.min(to, nextMs)) };
}

/** PostgreSQL cancelled the statement after its timeout. */
const cancelledByTimeout = '57014';

async function limitTime<T>(query: Promise<T>): Promise<T> {
  try {
    return await query;
  } catch (error) {
    if (getSqlState(error) !== cancelledByTimeout) throw error;
    throw new Refusal(
      'wrong_state',
      'The search took too long. Narrow the filter, for example by time.',
    );
  }
}

/** Masks addresses and values of metadata, because the run outlives its messages. */
function maskFilters(filters: LogFilters): Record<string, string> {
  const { recipient, metadata } = filters;
  const kind = recipient?.includes('@') ? 'email' : '';
  return {
    ...filters,
    ...(recipient === undefined ? {} : { recipient: maskTarget(kind, recipient) }),
    ...(metadata === undefined ? {} : { metadata: metadata.replace(/:.*/s, ':***') }),
  };
}

function toCountAnswer(filters: LogFilters, matches: ResendVerdict[]): ResendCountAnswer {
  const fit = matches.filter(({ obstacle }) => obstacle === null);
  const states = countBy(fit, ({ state }) => state).map((counted) => ({
    ...counted,
    warning: findResendWarning(counted.name, counted.messages) ?? null,
  }));
  const obstacles = countBy(matches, ({ obstacle }) => obstacle);
  const byChannel = new Map(
    countBy(fit, ({ channel }) => channel).map((each) => [each.name, each]),
  );
  return {
    filters,
    messages: fit.length,
    isOver: matches.length > maxMessagesPerResend,
    max: maxMessagesPerResend,
    channels: sortByChannel([...byChannel.keys()]).flatMap((name) => byChannel.get(name) ?? []),
    states,
    waiting: fit.filter(({ waits }) => waits !== null).length,
    mayDuplicate: fit.filter(({ state }) => findResendWarning(state) !== undefined).length,
    leftOut: obstacles.flatMap(({ name, messages }) => toLeftOut(name, messages)),
    paces: [...resendPaces],
  };
}

function countBy(
  matches: readonly ResendVerdict[],
  getName: (match: ResendVerdict) => string | null,
): Counted[] {
  const counts = new Map<string, number>();
  for (const match of matches) {
    const name = getName(match);
    if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, messages]) => ({ name, messages }));
}

const means: Record<string, string> = resendSkips;

function toLeftOut(reason: string, messages: number): LeftOut[] {
  return [{ reason, means: getOwn(means, reason) ?? reason, messages }];
}

function toResendRun(row: ResendRunRow, { sendingPausedAt }: AppCall['app']): ResendRun {
  const { matched, resent, skipped, createdAt, finishedAt, cancelledAt, filter, ...others } = row;
  const { open: openMessages, accepted, notDelivered, ...rest } = others;
  const open = matched - resent - skipped;
  return {
    ...rest,
    filters: filter,
    matched,
    resent,
    skipped,
    cancelled: cancelledAt ? open : 0,
    left: cancelledAt ? 0 : open,
    now:
      openMessages === null || accepted === null || notDelivered === null
        ? null
        : { open: openMessages, accepted, notDelivered },
    result: getRunResult(row),
    state: getRunState(row, sendingPausedAt !== null),
    createdAt: createdAt.getTime(),
    finishedAt: finishedAt?.getTime() ?? null,
  };
}

/** A run has failed or succeeded once every message is resent or left out, and none is still on its way. */
function getRunResult({ matched, finishedAt, ...run }: ResendRunRow): ResendRun['result'] {
  const { open, accepted, notDelivered } = run;
  if (finishedAt === null || open === null || accepted === null || notDelivered === null)
    return null;
  if (accepted === matched) return 'succeeded';
  if (open > 0) return null;
  return accepted === 0 ? 'failed' : 'partly';
}

function getRunState(
  { finishedAt, cancelledAt }: ResendRunRow,
  isPaused: boolean,
): ResendRun['state'] {
  if (cancelledAt) return 'cancelled';
  if (finishedAt) return 'finished';
  return isPaused ? 'paused' : 'running';
}

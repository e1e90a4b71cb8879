import type { OldestWaiting, WorkerHeartbeat } from '@belfry/database';
import type { Finding } from './doctor-check';

/** A worker beats every 5 s. */
const aliveSeconds = 20;
const longBacklogSeconds = 60;

/** Whether each role has a worker that lives. */
export function judgeWorkers(roles: string[], workers: WorkerHeartbeat[]): Finding[] {
  return roles.map((role): Finding => {
    const name = `worker ${role}`;
    const workersWithRole = workers.filter((worker) => worker.roles.includes(role));
    const alive = workersWithRole.filter(({ beatSeconds }) => beatSeconds <= aliveSeconds);
    if (alive.length > 0) return { name, state: 'ok', detail: formatWorkers(alive) };
    const lastSeconds = Math.min(...workersWithRole.map(({ beatSeconds }) => beatSeconds));
    const lastHeartbeat =
      workersWithRole.length > 0 ? ` The last was heard of ${Math.round(lastSeconds)} s ago.` : '';
    return {
      name,
      state: 'failed',
      detail: `No process has this role.${lastHeartbeat} Start one: WORKER_ROLES=${role} node apps/worker/dist/main.js`,
    };
  });
}

function formatWorkers(workers: WorkerHeartbeat[]): string {
  return workers.map(({ id, version }) => `${id} (${version})`).join(', ');
}

/** Whether anything has been due for long. */
export function judgeBacklog(waiting: OldestWaiting[]): Finding[] {
  return waiting.map(({ channel, seconds }): Finding => {
    const name = `backlog ${channel}`;
    if (seconds === 0) return { name, state: 'ok', detail: 'Nothing is due.' };
    const detail = `The oldest message has been due for ${Math.round(seconds)} s.`;
    if (seconds < longBacklogSeconds) return { name, state: 'ok', detail };
    return { name, state: 'warning', detail: `${detail} More workers of this role may be needed.` };
  });
}

const tolerableSkewMs = 2_000;

/** PostgreSQL's clock decides; those of processes make ids and log lines. */
export function judgeClock(ownMs: number, databaseMs: number): Finding {
  const skewMs = Math.round(ownMs - databaseMs);
  if (Math.abs(skewMs) <= tolerableSkewMs) {
    return { name: 'clock', state: 'ok', detail: `${skewMs} ms beside PostgreSQL's.` };
  }
  return {
    name: 'clock',
    state: 'warning',
    detail: `${skewMs} ms beside PostgreSQL's: ids and logs are off by that. Run a time service on both machines.`,
  };
}

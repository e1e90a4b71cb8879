import type { OldestWaiting, WorkerHeartbeat } from '@belfry/database';
import type { Finding } from './doctor-check';

/** Workers write a heartbeat every 5 s. */
const aliveSeconds = 20;
const longBacklogSeconds = 60;

/** Whether each role has a live worker. */
export function judgeWorkers(roles: string[], workers: WorkerHeartbeat[]): Finding[] {
  return roles.map((role): Finding => {
    const name = `worker ${role}`;
    const workersWithRole = workers.filter((worker) => worker.roles.includes(role));
    const alive = workersWithRole.filter(
      ({ heartbeatSeconds }) => heartbeatSeconds <= aliveSeconds,
    );
    if (alive.length > 0) return { name, state: 'ok', detail: formatWorkers(alive) };
    const lastSeconds = Math.min(
      ...workersWithRole.map(({ heartbeatSeconds }) => heartbeatSeconds),
    );
    const lastHeartbeat =
      workersWithRole.length > 0 ? ` The last heartbeat was ${Math.round(lastSeconds)} s ago.` : '';
    return {
      name,
      state: 'failed',
      detail: `No live worker has this role.${lastHeartbeat} Start one: WORKER_ROLES=${role} node apps/worker/dist/main.js`,
    };
  });
}

function formatWorkers(workers: WorkerHeartbeat[]): string {
  return workers.map(({ id, version }) => `${id} (${version})`).join(', ');
}

/** How long the oldest due message of each channel has waited. */
export function judgeBacklog(waiting: OldestWaiting[]): Finding[] {
  return waiting.map(({ channel, seconds }): Finding => {
    const name = `backlog ${channel}`;
    if (seconds === 0) return { name, state: 'ok', detail: 'No message is due.' };
    const detail = `The oldest message has been due for ${Math.round(seconds)} s.`;
    if (seconds < longBacklogSeconds) return { name, state: 'ok', detail };
    return { name, state: 'warning', detail: `${detail} Start more workers for this channel.` };
  });
}

const longLagMs = 60_000;

/** How far the replica is behind from which the dashboard reads the log. */
export function judgeLag(hosts: string, lagMs: number): Finding {
  const name = 'replica';
  if (lagMs === 0) return { name, state: 'ok', detail: `${hosts} has everything.` };
  const detail = `${hosts} is ${(lagMs / 1_000).toFixed(1)} s behind.`;
  if (lagMs < longLagMs) return { name, state: 'ok', detail };
  const advice = 'Look at pg_stat_replication on the primary, and at the log of the replica.';
  return { name, state: 'warning', detail: `${detail} ${advice}` };
}

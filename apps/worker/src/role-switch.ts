import type { Logger } from '@belfry/runtime';
import type { RunningRole } from './composition';

export type RoleSwitchDeps = { start(): Promise<RunningRole[]>; log: Logger };

/** Starts and closes all roles of the process together. */
export type RoleSwitch = {
  /** Later calls wait for earlier ones. A repeated value changes nothing, unless the start failed before. */
  set(isOn: boolean): void;
  /** Resolves when the changes so far are done; rejects if the first start failed. */
  settle(): Promise<void>;
  list(): RunningRole[];
};

export function createRoleSwitch({ start, log }: RoleSwitchDeps): RoleSwitch {
  let running: RunningRole[] = [];
  let isOn = false;
  let change: Promise<void> = Promise.resolve();

  async function apply(isWanted: boolean): Promise<void> {
    if (isWanted === isOn) return;
    if (isWanted) {
      running = await start();
      isOn = true;
      return;
    }
    const ended = running;
    isOn = false;
    await Promise.all(ended.map((role) => role.close()));
    running = [];
  }

  return {
    set(isWanted) {
      change = change.catch(() => undefined).then(() => apply(isWanted));
      // `settle` reports the error of the first start; a later one is repeated at the next check.
      change.catch((error: unknown) => log.error('worker.roles_not_changed', { error }));
    },
    settle: () => change,
    list: () => running,
  };
}

import { createLogger } from '@belfry/runtime';
import { createRoleSwitch } from './role-switch';

const log = createLogger({ level: 'error', process: 'test' });

/** A switch whose starts fail as often as `failures` says. */
function createSwitch({ failures = 0 } = {}) {
  const events: string[] = [];
  let left = failures;
  const roles = createRoleSwitch({
    async start() {
      events.push('start');
      if (left-- > 0) throw new Error('The port is taken');
      const close = async () => void events.push('close');
      return [{ close, isStalled: () => false }];
    },
    log,
  });
  return { roles, events };
}

describe('the switch of a process’s roles', () => {
  test('starts them once, closes them while paused, and starts them again', async () => {
    const { roles, events } = createSwitch();
    for (const isOn of [false, true, true, false, false, true]) roles.set(isOn);
    await roles.settle();
    expect(events).toEqual(['start', 'close', 'start']);
    expect(roles.list()).toHaveLength(1);
  });

  test('reports a start that failed, and repeats it at the next check', async () => {
    const { roles, events } = createSwitch({ failures: 1 });
    roles.set(true);
    await expect(roles.settle()).rejects.toThrow('The port is taken');
    roles.set(true);
    await roles.settle();
    expect(events).toEqual(['start', 'start']);
    expect(roles.list()).toHaveLength(1);
  });
});

import { setTimeout as wait } from 'node:timers/promises';
import { createCall } from './call';
import { createDevices, type Devices } from './devices';
import { createEvents, type Events } from './events';
import { type BelfryOptions, readOptions } from './options';
import { createPush, type Push } from './push';
import { createRequests, type Requests } from './requests';
import { createSandbox, type Sandbox } from './sandbox';
import { createUsers, type Users } from './users';

/** One app of an account. It holds no connection and need not be closed. */
export type Belfry = {
  events: Events;
  requests: Requests;
  users: Users;
  devices: Devices;
  push: Push;
  sandbox: Sandbox;
};

/** Throws a TypeError for options that no call could work with. */
export function createBelfryClient(options: BelfryOptions): Belfry {
  const { appUrl, apiKey, limits, fetch } = readOptions(options);
  const call = createCall({
    appUrl,
    apiKey,
    limits,
    // Looked up late: whoever replaces the global fetch is heard.
    fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
    wait: (ms, signal) => wait(ms, undefined, { signal }),
    random: Math.random,
    now: () => performance.now(),
    newKey: () => crypto.randomUUID(),
  });
  return {
    events: createEvents(call),
    requests: createRequests(call),
    users: createUsers(call),
    devices: createDevices(call),
    push: createPush(call),
    sandbox: createSandbox(call),
  };
}

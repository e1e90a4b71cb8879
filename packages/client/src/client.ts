import { createCall, type Transport } from './call';
import { createDevices, type Devices } from './devices';
import { createEvents, type Events } from './events';
import { type BelfryOptions, readOptions } from './options';
import { createPush, type Push } from './push';
import { createRequests, type Requests } from './requests';
import { createSandbox, type Sandbox } from './sandbox';
import { createUsers, type Users } from './users';
import { withinTime } from './within-time';

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
  const transport = createTransport(options);
  return {
    events: createEvents(transport),
    requests: createRequests(transport),
    users: createUsers(transport),
    devices: createDevices(transport),
    push: createPush(transport),
    sandbox: createSandbox(transport),
  };
}

/**
 * For single calls such as `sendEvent(transport, body)`: a bundler leaves the others out. Throws a TypeError for options
 * that no call could work with.
 */
export function createTransport(options: BelfryOptions): Transport {
  const { appUrl, apiKey, limits, fetch } = readOptions(options);
  return createCall({
    appUrl,
    apiKey,
    limits,
    // Looked up late: whoever replaces the global fetch is heard.
    fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
    wait,
    random: Math.random,
    now: () => performance.now(),
    newKey: () => crypto.randomUUID(),
  });
}

/** Rejects when the signal comes. */
const wait: Parameters<typeof createCall>[0]['wait'] = async (timeoutMs, signal) => {
  const never = () => new Promise<never>(() => {});
  const ending = await withinTime({ timeoutMs, signal }, never);
  if (ending.end === 'aborted') throw ending.cause;
};

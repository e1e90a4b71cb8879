import { createCall, type Transport } from './call';
import { createDevices, type Devices } from './devices';
import { createEvents, type Events } from './events';
import { type BelfryOptions, readOptions } from './options';
import { createPush, type Push } from './push';
import { createRequests, type Requests } from './requests';
import { createSandbox, type Sandbox } from './sandbox';
import { createUsers, type Users } from './users';
import { createWebhooks, type Webhooks } from './webhooks';
import { withinTime } from './within-time';

/** A client for one app of an account. It holds no connection and need not be closed. */
export type Belfry = {
  events: Events;
  requests: Requests;
  users: Users;
  devices: Devices;
  push: Push;
  sandbox: Sandbox;
  webhooks: Webhooks;
};

/** Throws a TypeError for invalid options. */
export function createBelfryClient(options: BelfryOptions): Belfry {
  const transport = createTransport(options);
  return {
    events: createEvents(transport),
    requests: createRequests(transport),
    users: createUsers(transport),
    devices: createDevices(transport),
    push: createPush(transport),
    sandbox: createSandbox(transport),
    webhooks: createWebhooks(transport),
  };
}

/**
 * For single functions such as `sendEvent(transport, body)`: a bundler drops the unused ones. Throws a TypeError for
 * invalid options.
 */
export function createTransport(options: BelfryOptions): Transport {
  const { appUrl, apiKey, limits, fetch } = readOptions(options);
  return createCall({
    appUrl,
    apiKey,
    limits,
    // Looked up for each call, so that a replaced global fetch is used.
    fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
    wait,
    random: Math.random,
    now: () => performance.now(),
    newKey: () => crypto.randomUUID(),
  });
}

/** Rejects when the signal is aborted. */
const wait: Parameters<typeof createCall>[0]['wait'] = async (timeoutMs, signal) => {
  const never = () => new Promise<never>(() => {});
  const ending = await withinTime({ timeoutMs, signal }, never);
  if (ending.end === 'aborted') throw ending.cause;
};

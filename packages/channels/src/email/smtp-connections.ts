import { LRUCache } from 'lru-cache';
import type { ConnectCall, HostConnections } from '../channel';
import type { OpenSocket } from './open-socket';
import { createSmtpPool, type SmtpLease, type SmtpPool } from './smtp-pool';
import { readSmtp } from './smtp-settings';

/** The connections of all integrations. */
export type SmtpConnections = {
  /** Keeps a connection for the message that `take` is called for; undefined where none got free before the signal fired. */
  reserve(call: ConnectCall, signal: AbortSignal): Promise<{ release(): void } | undefined>;
  /** The message's reserved connection, else the next one that gets free before the signal fires. */
  take(call: ConnectCall, signal: AbortSignal): Promise<SmtpLease | undefined>;
  close(): void;
};

export type SmtpConnectionsDeps = {
  openSocket: OpenSocket;
  hostConnections?: HostConnections;
};

/** The pool that was unused longest is closed for a new one. */
const maxPools = 256;

export function createSmtpConnections(deps: SmtpConnectionsDeps): SmtpConnections {
  const pools = new LRUCache<string, { version: string; pool: SmtpPool }>({
    max: maxPools,
    dispose: ({ pool }) => pool.close(),
  });
  const reserved = new Map<string, SmtpLease>();

  /** The pool of an integration that was changed is closed; mails that have a connection of it end first. */
  function findPool(call: ConnectCall): SmtpPool | undefined {
    const { integrationId, integrationVersion: version } = call;
    const entry = pools.get(integrationId);
    if (entry?.version === version) return entry.pool;
    const integration = readSmtp(call);
    if (!integration) return undefined;
    const pool = createSmtpPool({ ...integration, ...deps });
    pools.set(integrationId, { version, pool });
    return pool;
  }

  return {
    async reserve(call, signal) {
      const pool = findPool(call);
      // The message fails before it needs one.
      if (!pool) return { release: () => undefined };
      const lease = await pool.take(signal);
      if (!lease) return undefined;
      const key = getKey(call);
      reserved.set(key, lease);
      return {
        release() {
          if (reserved.get(key) === lease) reserved.delete(key);
          lease.release();
        },
      };
    },
    async take(call, signal) {
      const key = getKey(call);
      const lease = reserved.get(key) ?? (await findPool(call)?.take(signal));
      reserved.delete(key);
      return lease;
    },
    close: () => pools.clear(),
  };
}

/** A connection that was reserved before the integration changed is not taken. */
function getKey({ integrationId, integrationVersion, messageId }: ConnectCall): string {
  return `${integrationId}@${integrationVersion} ${messageId}`;
}

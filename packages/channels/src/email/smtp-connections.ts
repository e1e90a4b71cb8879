import { LRUCache } from 'lru-cache';
import type { ConnectCall, HostConnections } from '../channel';
import type { OpenSocket } from './open-socket';
import { createSmtpPool, type SmtpLease, type SmtpPool } from './smtp-pool';
import { readSmtp } from './smtp-settings';

/** The connections of all integrations. */
export type SmtpConnections = {
  /**
   * Reserves a connection for a later `take` of the message. Undefined when none was free before
   * the signal fired.
   */
  reserve(call: ConnectCall, signal: AbortSignal): Promise<{ release(): void } | undefined>;
  /**
   * The message's reserved connection, or else the next one that is free before the signal fires.
   */
  take(call: ConnectCall, signal: AbortSignal): Promise<SmtpLease | undefined>;
  close(): void;
};

export type SmtpConnectionsDeps = {
  openSocket: OpenSocket;
  hostConnections?: HostConnections;
};

/** When the limit is reached, the least recently used pool is closed. */
const maxPools = 256;

export function createSmtpConnections(deps: SmtpConnectionsDeps): SmtpConnections {
  const pools = new LRUCache<string, { version: string; pool: SmtpPool }>({
    max: maxPools,
    dispose: ({ pool }) => pool.close(),
  });
  const reserved = new Map<string, SmtpLease>();

  /** When an integration changed, its old pool is closed after the mails that hold a connection. */
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
      // The message fails before it needs a connection.
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

/** A connection reserved before the integration changed is not used. */
function getKey({ integrationId, integrationVersion, messageId }: ConnectCall): string {
  return `${integrationId}@${integrationVersion} ${messageId}`;
}

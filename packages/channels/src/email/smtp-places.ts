import { LRUCache } from 'lru-cache';
import type { ConnectCall, HostConnections } from '../channel';
import type { OpenSocket } from './open-socket';
import { createSmtpPool, type SmtpPlace, type SmtpPool } from './smtp-pool';
import { readSmtp } from './smtp-settings';

/** The connections of all integrations. */
export type SmtpPlaces = {
  /** Keeps a connection for the message that `take` is called for; undefined where none got free before the signal fired. */
  reserve(call: ConnectCall, signal: AbortSignal): Promise<{ release(): void } | undefined>;
  /** The message's reserved connection, else the next one that gets free before the signal fires. */
  take(call: ConnectCall, signal: AbortSignal): Promise<SmtpPlace | undefined>;
  close(): void;
};

export type SmtpPlacesDeps = {
  openSocket: OpenSocket;
  hostConnections?: HostConnections;
};

/** The pool that was unused longest is closed for a new one. */
const maxPools = 256;

export function createSmtpPlaces(deps: SmtpPlacesDeps): SmtpPlaces {
  const pools = new LRUCache<string, { version: string; pool: SmtpPool }>({
    max: maxPools,
    dispose: ({ pool }) => pool.close(),
  });
  const reserved = new Map<string, SmtpPlace>();

  /** The pool of an integration that was changed is closed; mails that have a connection of it end first. */
  function findPool(call: ConnectCall): SmtpPool | undefined {
    const { integrationId, integrationVersion: version } = call;
    const kept = pools.get(integrationId);
    if (kept?.version === version) return kept.pool;
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
      const place = await pool.take(signal);
      if (!place) return undefined;
      const key = getKey(call);
      reserved.set(key, place);
      return {
        release() {
          if (reserved.get(key) === place) reserved.delete(key);
          place.release();
        },
      };
    },
    async take(call, signal) {
      const key = getKey(call);
      const place = reserved.get(key) ?? (await findPool(call)?.take(signal));
      reserved.delete(key);
      return place;
    },
    close: () => pools.clear(),
  };
}

/** A connection that was reserved before the integration changed is not taken. */
function getKey({ integrationId, integrationVersion, messageId }: ConnectCall): string {
  return `${integrationId}@${integrationVersion} ${messageId}`;
}

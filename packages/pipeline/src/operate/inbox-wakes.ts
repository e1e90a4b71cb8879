import { type Logger, listenToChannel, type RedisConnection, type Secrets } from '@belfry/runtime';
import type { InboxAddress } from './inbox-item.sql';

/** Names a reader in Redis without the user's ID. Processes with another first ring key use other names. */
export type NameReader = (address: InboxAddress) => string;

const nameBytes = 16;

export function createNameReader({ fingerprint }: Pick<Secrets, 'fingerprint'>): NameReader {
  return ({ appId, userId }) =>
    fingerprint('inbox_reader', `${appId}/${userId}`).subarray(0, nameBytes).toString('base64url');
}

type WakeDeps = { prefix: string; nameReader: NameReader };

/** Announces that the inbox of a reader changed. Best effort: gateways also poll. */
export type WakeReader = (address: InboxAddress) => void;

const maxNamesPerMessage = 1_000;

/** All readers that change in one iteration of the event loop share a message. */
export function createWakeReader({
  redis,
  prefix,
  nameReader,
}: WakeDeps & { redis: RedisConnection }): WakeReader {
  let names = new Set<string>();

  function publish(): void {
    const list = [...names];
    names = new Set();
    for (let from = 0; from < list.length; from += maxNamesPerMessage) {
      const message = list.slice(from, from + maxNamesPerMessage).join(' ');
      redis.publish(buildChannel(prefix), message).catch(() => undefined);
    }
  }

  return function wakeReader(address) {
    if (names.size === 0) setImmediate(publish);
    names.add(nameReader(address));
  };
}

export type WakeListener = {
  /** Opens the connection; later calls have no effect. */
  start(): void;
  close(): void;
};

export type WakeListenerDeps = {
  url: string;
  prefix: string;
  /** Called with the names of readers whose inbox changed. */
  onWake(names: string[]): void;
  /** Called when messages may have been missed. */
  onConnected(): void;
  log: Logger;
};

export function createWakeListener(deps: WakeListenerDeps): WakeListener {
  const { url, prefix, onWake, onConnected, log } = deps;
  let listener: { close(): void } | undefined;
  return {
    start() {
      listener ??= listenToChannel({
        ...{ url, log, channel: buildChannel(prefix) },
        onMessage: (message) => onWake(message.split(' ')),
        onSubscribed: onConnected,
      });
    },
    close: () => listener?.close(),
  };
}

function buildChannel(prefix: string): string {
  return `${prefix}:inbox`;
}

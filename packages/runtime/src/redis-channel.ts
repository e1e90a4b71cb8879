import { createRedis, type RedisOptions } from './redis';

export type ChannelListenerOptions = RedisOptions & {
  channel: string;
  onMessage(message: string): void;
  /** Called after each connection: messages before it may have been missed. */
  onSubscribed?(): void;
};

/** Listens to a Redis channel on a connection of its own, because a subscribed connection takes no other commands. */
export function listenToChannel(options: ChannelListenerOptions): { close(): void } {
  const { url, log, channel, onMessage, onSubscribed } = options;
  const redis = createRedis({ url, log });
  let isClosed = false;
  redis.on('message', (_channel, message) => onMessage(String(message)));
  redis.on('ready', () => {
    redis.subscribe(channel).then(onSubscribed, () => {
      // Without an answer nobody knows whether it is subscribed.
      if (!isClosed) redis.disconnect(true);
    });
  });
  return {
    close() {
      isClosed = true;
      redis.disconnect();
    },
  };
}

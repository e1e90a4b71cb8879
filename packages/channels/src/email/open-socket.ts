import net from 'node:net';
import {
  blockedAddress,
  createGuardedLookup,
  type GuardOptions,
  isBlockedHost,
} from '../public-address';

export type OpenSocket = (
  to: { host: string; port: number },
  done: (error: Error | null, opened?: { connection: net.Socket }) => void,
) => void;

export const connectTimeoutMs = 10_000;

/** Connects to where an operator says, and checks the address that is connected to. */
export function createSocketOpener(options: GuardOptions): OpenSocket {
  const lookup = createGuardedLookup(options);

  return function openSocket({ host, port }, done) {
    if (isBlockedHost(host, options)) return done(blockedAddress(host));
    const socket = net.connect({ host, port, lookup });
    const timer = setTimeout(() => socket.destroy(timedOut()), connectTimeoutMs);
    const fail = (error: Error) => {
      clearTimeout(timer);
      done(error);
    };
    socket.once('error', fail);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.removeListener('error', fail);
      done(null, { connection: socket });
    });
  };
}

function timedOut(): Error {
  return Object.assign(new Error('No connection in time'), { code: 'ETIMEDOUT' });
}

import net from 'node:net';
import {
  blockedPortCode,
  createBlockedAddressError,
  createGuardedLookup,
  type GuardOptions,
  isAllowedHost,
  isBlockedHost,
} from '../public-address';

export type OpenSocket = (
  to: { host: string; port: number },
  done: (error: Error | null, opened?: { connection: net.Socket }) => void,
) => void;

/** Other ports would let an integration reach services that are not mail servers. */
const mailPorts = [25, 465, 587, 2525];

export const connectTimeoutMs = 10_000;

/** Connects to the configured host, and checks the address that is actually used. */
export function createSocketOpener(options: GuardOptions): OpenSocket {
  const lookup = createGuardedLookup(options);

  return function openSocket({ host, port }, done) {
    if (isBlockedHost(host, options)) return done(createBlockedAddressError(host));
    if (!mailPorts.includes(port) && !isAllowedHost(host, options.allowedPrivateHosts)) {
      return done(createBlockedPortError(port));
    }
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

function createBlockedPortError(port: number): Error {
  return Object.assign(new Error(`port ${port} is not a mail port`), { code: blockedPortCode });
}

function timedOut(): Error {
  return Object.assign(new Error('Connection timed out'), { code: 'ETIMEDOUT' });
}

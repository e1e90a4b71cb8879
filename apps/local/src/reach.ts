import net from 'node:net';
import { StartError } from './start-error';

const connectTimeoutMs = 5_000;

/** Rejects an external server that cannot be reached. Names its variable, not the URL, which may contain a password. */
export async function refuseUnreachable(
  variable: string,
  url: string,
  defaultPort: number,
): Promise<string> {
  if (!URL.canParse(url)) throw new StartError(`${variable} must be a URL`);
  const { hostname, port } = new URL(url);
  // A URL without a host names a local socket, which only the driver can check.
  if (hostname === '') return url;
  const host = hostname.replace(/^\[|\]$/g, '');
  const problem = await connect(host, port === '' ? defaultPort : Number(port));
  if (problem === undefined) return url;
  throw new StartError(
    `${variable}: cannot connect to ${host} (${problem}). Start it, or correct the URL.`,
  );
}

function connect(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = net.connect({ host, port });
    function end(problem: string | undefined): void {
      socket.destroy();
      resolve(problem);
    }
    socket.setTimeout(connectTimeoutMs, () => end(`no answer in ${connectTimeoutMs / 1_000} s`));
    socket.once('connect', () => end(undefined));
    socket.once('error', (error) => end(error.message));
  });
}

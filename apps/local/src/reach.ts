import net from 'node:net';
import { StartError } from './start-error';

const connectTimeoutMs = 5_000;

/** Refuses a store that was given and does not answer, by the name of its variable; its URL may hold a password. */
export async function refuseUnreachable(
  variable: string,
  url: string,
  defaultPort: number,
): Promise<string> {
  if (!URL.canParse(url)) throw new StartError(`${variable} must be a URL`);
  const { hostname, port } = new URL(url);
  // Without a host it names a socket of this machine, which is the driver's business.
  if (hostname === '') return url;
  const host = hostname.replace(/^\[|\]$/g, '');
  const problem = await connect(host, port === '' ? defaultPort : Number(port));
  if (problem === undefined) return url;
  throw new StartError(`Nothing answers where ${variable} points to (${host}: ${problem}).`);
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

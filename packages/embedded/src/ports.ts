import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { writePrivately } from './private-files';

/** The port of the last start if it is free, else another free one, which is saved. */
export async function choosePort(folder: string): Promise<number> {
  const last = readPort(folder);
  if (last !== undefined && (await isPortFree(last))) return last;
  const port = await findFreePort();
  writePrivately(path.join(folder, 'port'), `${port}\n`);
  return port;
}

/** The port on which the server in this folder was last started. */
export function readPort(folder: string): number | undefined {
  try {
    const port = Number(readFileSync(path.join(folder, 'port'), 'utf8'));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
  } catch {
    return undefined;
  }
}

/** Below the ports that systems give to outgoing connections and to servers that ask for any. */
const firstPort = 20_000;
const lastPort = 32_767;
const maxTries = 100;

/** A port that nothing else is likely to take before the caller uses it. */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const port = randomInt(firstPort, lastPort);
    if (await isPortFree(port)) return port;
  }
  throw new Error('No port is free on 127.0.0.1');
}

export async function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return (await listenOnce(port, host)) !== undefined;
}

function listenOnce(port: number, host = '127.0.0.1'): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const boundPort = typeof address === 'object' ? address?.port : undefined;
      server.close(() => resolve(boundPort));
    });
  });
}

import net from 'node:net';

/** How long a server tolerated a caller that sends one byte per second. */
export type SlowCalls = { headersMs: Promise<number>; bodyMs: Promise<number> };

const dripEveryMs = 1_000;
/** Beyond every limit in the documents. */
const giveUpMs = 75_000;

export function startSlowCalls(url: string): SlowCalls {
  const { host } = new URL(url);
  const head = `POST /api/session HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\n`;
  const sized = 'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n';
  return {
    headersMs: drip(url, `${head}X-Slow: `),
    bodyMs: drip(url, `${head}${sized}`),
  };
}

function drip(url: string, begin: string): Promise<number> {
  const { hostname, port } = new URL(url);
  const beganAtMs = performance.now();
  return new Promise((resolve) => {
    const socket = net.connect(Number(port), hostname);
    socket.on('error', () => socket.destroy());
    socket.resume().write(begin);
    const timer = setInterval(() => socket.write(' '), dripEveryMs);
    const limit = setTimeout(() => socket.destroy(), giveUpMs);
    socket.once('close', () => {
      clearInterval(timer);
      clearTimeout(limit);
      resolve(performance.now() - beganAtMs);
    });
  });
}

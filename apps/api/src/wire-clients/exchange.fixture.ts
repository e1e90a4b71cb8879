import net from 'node:net';

/** A request on the wire. `target` is the URL or path of the request line. */
export type RawRequest = {
  method: string;
  target: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
};

export type RawAnswer = {
  status: number;
  /** Headers by lower-case name. */
  headers: Record<string, string>;
  text: string;
};

const timeoutMs = 20_000;

/** Writes a raw request, which HTTP clients cannot, and reads its response. */
export function exchange(port: number, request: RawRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const socket = net.connect(port, '127.0.0.1', () => socket.write(formatRequest(request)));
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('No answer in time')));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const answer = parseAnswer(received);
      if (!answer) return;
      resolve(answer);
      socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`Closed after ${received.length} bytes`)));
  });
}

function formatRequest({ method, target, headers, body }: RawRequest): string {
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return [
    `${method} ${target} HTTP/1.1`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...length,
    '',
    body ?? '',
  ].join('\r\n');
}

function parseAnswer(received: Buffer): RawAnswer | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
  const body = received.subarray(end + 4);
  if (body.length < Number(headers['content-length'])) return undefined;
  return { status: Number(statusLine.split(' ')[1]), headers, text: body.toString('utf8') };
}

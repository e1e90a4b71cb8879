import net from 'node:net';

const answerTimeoutMs = 1_000;
const passwordAccepted = '+OK\r\n';

/** Sends one inline command to a server. Returns the raw answer; undefined without one. */
export function queryRedis(url: string, command: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const { port, password } = new URL(url);
    let answer = '';
    const socket = net.connect({ port: Number(port), host: '127.0.0.1', timeout: answerTimeoutMs });
    function end(result: string | undefined) {
      socket.destroy();
      resolve(result);
    }
    socket.on('connect', () => socket.write(`AUTH ${password}\r\n${command}\r\n`));
    socket.on('timeout', () => end(undefined));
    socket.on('error', () => end(undefined));
    socket.on('close', () => end(undefined));
    socket.on('data', (chunk) => {
      answer += chunk.toString();
      if (!answer.startsWith(passwordAccepted.slice(0, answer.length))) return end(undefined);
      const reply = answer.slice(passwordAccepted.length);
      if (isComplete(reply)) end(reply.trimEnd());
    });
  });
}

/** A simple answer is one line; a bulk answer starts with its length. */
function isComplete(answer: string): boolean {
  const head = /^\$(\d+)\r\n/.exec(answer);
  if (!head) return answer.endsWith('\r\n');
  return Buffer.byteLength(answer) >= head[0].length + Number(head[1]) + 2;
}

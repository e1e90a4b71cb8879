import net from 'node:net';

const answerTimeoutMs = 1_000;

/** Asks one inline command and gives the answer as it came; undefined when none came. */
export function askRedis(port: number, command: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = net.connect({ port, host: '127.0.0.1', timeout: answerTimeoutMs });
    function end(result: string | undefined) {
      socket.destroy();
      resolve(result);
    }
    socket.on('connect', () => socket.write(`${command}\r\n`));
    socket.on('timeout', () => end(undefined));
    socket.on('error', () => end(undefined));
    socket.on('close', () => end(undefined));
    socket.on('data', (chunk) => {
      answer += chunk.toString();
      if (isComplete(answer)) end(answer.trimEnd());
    });
  });
}

/** A simple answer is one line; a bulk one tells its length first. */
function isComplete(answer: string): boolean {
  const head = /^\$(\d+)\r\n/.exec(answer);
  if (!head) return answer.endsWith('\r\n');
  return Buffer.byteLength(answer) >= head[0].length + Number(head[1]) + 2;
}

import http from 'node:http';
import { getPort } from '../simulators/http-simulator';
import { readSharedClockMs } from './shared-clock';

/** An HTTP provider that answers after a delay and records the time and recipient of each call. */
const delayMs = Number(process.argv[2] ?? 0);
const maxRemembered = 200_000;
let calls: [target: string, atMs: number][] = [];

const server = http.createServer((req, res) => {
  const atMs = readSharedClockMs();
  let body = '';
  req.setEncoding('latin1').on('data', (chunk: string) => {
    body += chunk;
  });
  req.on('end', () => {
    const target = new URLSearchParams(body).get('To') ?? '';
    if (calls.length < maxRemembered) calls.push([target, atMs]);
    setTimeout(() => {
      const answer = JSON.stringify({ sid: `SM${'0'.repeat(32)}`, status: 'queued' });
      res.writeHead(201, { 'Content-Type': 'application/json', 'Content-Length': answer.length });
      res.end(answer);
    }, delayMs);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.({ port: getPort(server.address()) }));
process.on('message', () => {
  process.send?.({ calls });
  calls = [];
});
process.on('disconnect', () => process.exit(0));

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { close, createGateway } from './gateway.fixture';
import { listen } from './server';

const connections = 1_000;

/** How many connections the system lets wait. */
function readSystemLimit(): number {
  try {
    return Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
  } catch {
    return 128;
  }
}

/** Opens connections, and prints how many are there when all are, or after 5 s. */
const herd = `
  const { connect } = require('node:net');
  const [port, count] = process.argv.slice(1).map(Number);
  let connected = 0;
  const finish = () => { process.stdout.write(String(connected)); process.exit(); };
  for (let number = 0; number < count; number += 1) {
    connect(port, '127.0.0.1', () => { connected += 1; if (connected === count) finish(); }).on('error', () => {});
  }
  setTimeout(finish, 5_000);
`;

test('1,000 clients that connect at once, while the gateway is busy, wait in the system: none is dropped', async () => {
  const { server } = createGateway();
  expect(await listen(server, { host: '127.0.0.1', port: 0 })).toBeUndefined();
  try {
    const { port } = server.address() as AddressInfo;
    const count = Math.min(connections, readSystemLimit());
    // This process waits for the other one, so it accepts nothing meanwhile.
    const connected = execFileSync(process.execPath, ['-e', herd, String(port), String(count)]);
    expect(Number(connected)).toBe(count);
  } finally {
    await close(server);
  }
});

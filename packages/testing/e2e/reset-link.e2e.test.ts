import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { newId } from '@belfry/runtime';
import { type System, startSystem, testKeyRing } from '@belfry/testing';

const run = promisify(execFile);
const password = 'a sentence of their own';

let system: System;
let dashboardUrl: string;

beforeAll(async () => {
  system = await startSystem({ workers: [] });
  const dashboard = await system.startDashboard();
  dashboardUrl = String((await dashboard.waitForLine('dashboard.ready'))['url']);
}, 120_000);

afterAll(() => system?.stop(), 120_000);

/** Runs the command as an operator of this installation would. */
async function resetOperator(email: string): Promise<string> {
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: system.databaseUrl,
    BELFRY_KEYS: testKeyRing,
    DASHBOARD_URL: dashboardUrl,
  };
  const args = ['apps/cli/dist/main.js', 'operator', 'reset', email];
  return (await run(process.execPath, args, { env, timeout: 30_000 })).stdout;
}

function post(path: string, body: object): Promise<Response> {
  return fetch(new URL(path, dashboardUrl), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: dashboardUrl },
    body: JSON.stringify(body),
  });
}

describe('belfry operator reset', () => {
  test('prints a dashboard link with which the operator sets a new password and is signed in', async () => {
    const { accountId } = await system.factories.createTenant();
    const email = `${newId()}@example.com`;
    await system.database.prisma.operator.create({
      data: { id: newId(), accountId, email, passwordHash: 'forgotten', role: 'owner' },
    });
    const [line = ''] = (await resetOperator(email)).split('\n');
    const link = new URL(line);
    expect([link.origin, link.pathname]).toEqual([dashboardUrl, '/set-up']);
    const page = await fetch(link);
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/html'),
    ]);
    const token = link.hash.slice(1);
    const look = await post('/api/set-up/look', { token });
    expect(await look.json()).toMatchObject({ kind: 'reset', email });
    const setUpResponse = await post('/api/set-up', { token, email, password });
    expect(await setUpResponse.json()).toMatchObject({ state: 'signed_in', operator: { email } });
    expect((await post('/api/set-up/look', { token })).status).toBe(410);
    expect((await post('/api/session', { email, password })).status).toBe(200);
  }, 60_000);
});

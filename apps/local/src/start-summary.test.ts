import { execFileSync } from 'node:child_process';
import { createPaint } from './paint';
import { formatCurlCommand, formatSummary, type StartSummary } from './start-summary';

const summary: StartSummary = {
  version: '0.1.0',
  elapsedMs: 3_412,
  apiUrl: 'http://127.0.0.1:4400',
  dashboardUrl: undefined,
  setUpUrl: undefined,
  demoUrl: 'http://127.0.0.1:4402',
  apiKey: 'bk_key',
  appId: '01890a5d-ac96-774b-bcce-b302099a8057',
  eventName: 'order_shipped',
  home: '/srv/belfry/.belfry',
  databaseUrl: 'postgresql://belfry:hidden@db:5432/belfry',
  redisUrl: 'redis://127.0.0.1:6390',
  folders: { redis: '/srv/belfry/.belfry/redis' },
  processes: [{ name: 'api', pid: 12 }],
};

describe('formatSummary', () => {
  test('shows all addresses, and hides the password of an external server', () => {
    const text = formatSummary(summary, createPaint(false));
    for (const expectedText of [
      'ready in 3.4 s',
      'http://127.0.0.1:4400/v1',
      'bk_key',
      summary.appId,
      'sandbox',
      'http://127.0.0.1:4402    send an event',
      summary.home,
      'redis://127.0.0.1:6390    started by Belfry; data in /srv/belfry/.belfry/redis',
      'postgresql://belfry:***@db:5432/belfry    external (DATABASE_URL)',
      'api 12',
    ]) {
      expect(text).toContain(expectedText);
    }
    expect(text).not.toContain('hidden');
  });

  test('uses colours only if enabled', () => {
    expect(formatSummary(summary, createPaint(false))).not.toContain('\u001b');
    expect(formatSummary(summary, createPaint(true))).toContain('\u001b[1m');
  });
});

describe('formatCurlCommand', () => {
  test('is one line that a shell parses as intended', () => {
    const command = formatCurlCommand(summary);
    expect(command).not.toContain('\n');
    const script = `curl() { for each in "$@"; do printf '%s\\n' "$each"; done; }; ${command}`;
    const args = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
    expect(args.slice(0, 6)).toEqual([
      '-sS',
      `http://127.0.0.1:4400/v1/apps/${summary.appId}/events/send`,
      '-H',
      'Authorization: AuthKey bk_key',
      '-H',
      'Content-Type: application/json',
    ]);
    expect(JSON.parse(args[7] ?? '')).toMatchObject({
      event: 'order_shipped',
      user: { email: 'ana@example.com' },
    });
  });
});

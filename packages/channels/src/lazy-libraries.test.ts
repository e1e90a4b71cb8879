import { execFileSync } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(__dirname, '..', '..', '..');
const libraries = [
  'twilio',
  '@slack/web-api',
  'nodemailer',
  'postal-mime',
  'node-telegram-bot-api',
  'firebase-admin',
  'google-auth-library',
  'web-push',
  'aws4',
  'sms-segments-calculator',
];

/** Lists the modules in memory after a process loaded the registry, as every worker does, and ran the code. */
function listLoaded(code = ''): string[] {
  const script = `
    const channels = require('@belfry/channels');
    ${code}
    console.log(JSON.stringify(Object.keys(require.cache)));`;
  const output = execFileSync(process.execPath, ['-e', script], {
    cwd: path.join(root, 'apps', 'worker'),
    encoding: 'utf8',
  });
  return JSON.parse(output);
}

test('an HTTP client loads undici with the first call: gateways and relays create one and may rest', () => {
  const create = `channels.createGuardedHttp({ allowedPrivateHosts: channels.parsePrivateHosts('') });`;
  const call = `channels.createGuardedHttp({ allowedPrivateHosts: channels.parsePrivateHosts('127.0.0.1') })
    .request({ method: 'GET', url: 'http://127.0.0.1:1/', signal: AbortSignal.timeout(100), maxResponseBytes: 1 })
    .catch(() => undefined);`;
  const countUndici = (code: string) =>
    listLoaded(code).filter((file) => file.includes('/node_modules/undici/')).length;
  expect(countUndici(create)).toBe(0);
  expect(countUndici(call)).toBeGreaterThan(0);
});

test('the registry loads no provider library: a worker loads its own channel’s with the first message', () => {
  const loaded = listLoaded();
  expect(loaded.length).toBeGreaterThan(50);
  for (const library of libraries) {
    expect(loaded.filter((file) => file.includes(`/node_modules/${library}/`))).toEqual([]);
  }
});

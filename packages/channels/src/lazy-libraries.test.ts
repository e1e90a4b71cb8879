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

/** Lists the modules in memory after a process loaded the registry, as every worker does. */
const listLoaded = `
  require('@belfry/channels');
  console.log(JSON.stringify(Object.keys(require.cache)));`;

test('the registry loads no provider library: a worker loads its own channel’s with the first message', () => {
  const output = execFileSync(process.execPath, ['-e', listLoaded], {
    cwd: path.join(root, 'apps', 'worker'),
    encoding: 'utf8',
  });
  const loaded: string[] = JSON.parse(output);
  expect(loaded.length).toBeGreaterThan(50);
  for (const library of libraries) {
    expect(loaded.filter((file) => file.includes(`/node_modules/${library}/`))).toEqual([]);
  }
});

import { execFileSync } from 'node:child_process';
import { callExample } from './call-example';

test('a shell parses the curl command correctly for any data', () => {
  const body = { event: "it's $HOME", user: { email: 'a@example.com' }, data: { a: '`id`' } };
  const { curl } = callExample({ gatewayUrl: 'http://127.0.0.1:4400/', appId: 'app', body });
  const script = `curl() { for each in "$@"; do printf '%s\\n' "$each"; done; }; ${curl}`;
  const args = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
  expect(args[1]).toBe('http://127.0.0.1:4400/v1/apps/app/events/send');
  expect(JSON.parse(args.at(-1) ?? '')).toEqual(body);
});

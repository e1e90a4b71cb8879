import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { callExample } from './call-example';

const body = { event: "it's $HOME", user: { email: 'a@example.com' }, data: { a: '`id`' } };

test('the script runs with the built client and makes the call that it shows', async () => {
  const requests: unknown[] = [];
  const server = createServer(async (req, res) => {
    const { authorization } = req.headers;
    requests.push([req.method, req.url, authorization, JSON.parse(await text(req))]);
    res.end('{"success":true}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const gatewayUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { client } = callExample({ gatewayUrl, appId: 'app', body });
  const script = client.replace('<API key>', 'bk_test');
  const args = ['--input-type=module', '-e', script];
  const cwd = path.resolve(__dirname, '../../../..');
  await promisify(execFile)(process.execPath, args, { cwd }).finally(() => server.close());
  expect(requests).toEqual([['POST', '/v1/apps/app/events/send', 'AuthKey bk_test', body]]);
});
